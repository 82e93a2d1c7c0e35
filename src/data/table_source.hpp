// What a source of a table holds, as the lines of UTF-8 text that the reader of tables takes.
#pragma once

#include <string>
#include <vector>

#include "data/source_text.hpp"

namespace priorfit::internal {

/// Undoes UTF-16, Latin-1 and the line ends of old Macs, makes a table of JSON Lines and blanks comments between rows
/// where comments stand before them. Throws Error(data) with what the bytes are and the way to a format that is read,
/// when they are Parquet, Feather, pickle and their kind.
void make_table_text(SourceText& source, const std::string& name, std::vector<std::string>& notes);

}  // namespace priorfit::internal

// JSON Lines: one object per line, its fields the columns.
#pragma once

#include <string>
#include <string_view>

namespace priorfit::internal {

/// The first line is an object.
bool is_json_lines(std::string_view text);

/// The same rows as a text table with a header: a column per name in order of appearance, empty where a line does not
/// have it. Throws Error(data) with the line for anything but flat objects.
std::string json_lines_table(std::string_view text, const std::string& name);

}  // namespace priorfit::internal

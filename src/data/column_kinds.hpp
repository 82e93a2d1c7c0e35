// What each column of a text table holds, and which are used.
#pragma once

#include <string>
#include <vector>

#include "data/text_table.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// The columns that options name, found in a table.
struct ColumnChoice {
  std::size_t target = 0;
  bool has_target = true;
  std::vector<bool> ignored, categorical, numeric;  // one per column
};

/// Throws Error(usage) with the nearest name for a column that is not there.
std::size_t find_column(const std::string& wanted, const TableDialect& dialect, const std::vector<TextColumn>& columns,
                        const std::string& source, const char* what);
ColumnChoice choose_columns(const LoadOptions& options, const TableDialect& dialect,
                            const std::vector<TextColumn>& columns);

/// Decides what each column is, and rewrites its values: categories to places among levels by falling frequency,
/// booleans to 0 and 1.
std::vector<Column> understand_columns(TextTable& table, const ColumnChoice& choice);

/// Texts by falling frequency, then by name, and for each text its place among them.
struct RankedTexts {
  std::vector<std::string> levels;
  std::vector<double> places;
};
RankedTexts rank_texts(const TextTable& table, std::size_t column);

}  // namespace priorfit::internal

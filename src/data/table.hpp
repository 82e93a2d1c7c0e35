// A text table as features and one target column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/matrix.hpp"
#include "support/file_io.hpp"

namespace priorfit {

struct Table {
  Matrix features;                         // rows × (columns - 1)
  std::vector<std::string> feature_names;  // empty without a header
  std::string target_name;                 // "column 5" without a header
  bool target_is_last = true;
  std::vector<std::string> target_text;  // rows, as written
  Vector target_numbers;                 // rows; 0 where the text is not a number
  Index numeric_targets = 0;             // how many are numbers
  std::string first_text_target;         // the place and value of the first that is not: "t.csv, line 3, …: 'x'"
};

/// `target_column`: a name in the header or a 1-based number; empty for the last. Throws Error(usage) when
/// there is no such column, Error(data) naming line, column and value for anything that is not a finite
/// number in a feature.
Table read_table(ByteSource& source, const std::string& target_column);

enum class Numeral { finite, not_finite, missing, text };

/// Reads one field; missing values are '', NA, N/A, NaN, null and ?, in any case.
Numeral parse_number(std::string_view field, double& value);

}  // namespace priorfit

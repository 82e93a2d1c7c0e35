// Reads a text table into one number per field, many lines at a time: the value, a day, or the place of a text among
// the distinct texts of its column.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

enum class Reading { number, date, text };

struct TextColumn {
  std::string name;  // empty without a header
  Reading reading = Reading::number;
  bool fixed = false;   // the reading is wanted: fields that do not fit it count as missing
  bool hollow = false;  // the first rows have no value
  bool strict = false;  // the reading is taken back for a single field that does not fit it
  DateOrder date_order = DateOrder::year_first;
  bool date_order_known = true;    // no: day and month could change places in every date looked at
  std::vector<std::string> texts;  // of a reading as text: distinct, in order of appearance
  bool too_many = false;           // more texts than are kept; the values mean nothing
  Index missing = 0;
  Index unreadable = 0;  // of them: fields that are there but do not fit
  Index dressed = 0;     // numbers with a currency or percent sign, or digits in groups
  std::string unreadable_example;
};

struct TextTable {
  TableDialect dialect;
  std::size_t start = 0;  // of the first record, in the text
  std::vector<std::string> notes;
  std::vector<TextColumn> columns;
  Index rows = 0;
  Matrix values;  // rows × columns, row after row; NaN where missing

  double& at(Index row, std::size_t column) {
    return values.data()[row * static_cast<Index>(columns.size()) + static_cast<Index>(column)];
  }
  const double& at(Index row, std::size_t column) const {
    return values.data()[row * static_cast<Index>(columns.size()) + static_cast<Index>(column)];
  }
};

/// Sees the columns, with their names and the readings their first fields suggest, and may set both `reading` and
/// `fixed`, or `strict`.
using ColumnPlan = std::function<void(const TableDialect&, std::vector<TextColumn>&)>;

/// Of a table that is to be read as another was: how that one is written, and the names of its columns, if it has any.
struct ExpectedTable {
  TableDialect dialect;
  std::vector<std::string> names;
};

/// Throws Error(data) with the line for a row with more or fewer fields than the first, for a quote that is never
/// closed and for infinities; with the number and the limit for too many columns.
TextTable read_text_table(std::string_view text, const std::string& name, const TableOptions& wanted,
                          const ColumnPlan& plan, const ExpectedTable* expected = nullptr);

/// "t.csv, line 3, column 2 ('b')" of a row of the table.
std::string place_of(std::string_view text, const std::string& name, const TextTable& table, Index row,
                     std::size_t column);

/// "column 3" where the table has no header.
std::string column_name(const TextTable& table, std::size_t column);

}  // namespace priorfit::internal

#include "data/load_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/column_kinds.hpp"
#include "data/numbers.hpp"
#include "data/row_notes.hpp"
#include "data/source_text.hpp"
#include "data/table_source.hpp"
#include "data/targets.hpp"
#include "data/text_table.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

// Rows that stay, in a table whose columns stay or go.
class Compaction {
 public:
  explicit Compaction(TextTable& table) : table_(table), keeps_(static_cast<std::size_t>(table.rows), true) {}

  void drop(Index row) { keeps_[static_cast<std::size_t>(row)] = false; }
  bool keeps(Index row) const { return keeps_[static_cast<std::size_t>(row)]; }
  Index rows() const { return std::count(keeps_.begin(), keeps_.end(), true); }

  std::vector<double> take_column(std::size_t column) const {
    std::vector<double> values;
    for (Index r = 0; r < table_.rows; ++r) {
      if (keeps(r)) values.push_back(table_.at(r, column));
    }
    return values;
  }

  // Moves what stays to the front of the one block of memory and gives the rest back: no second copy.
  Matrix take(const std::vector<std::size_t>& columns) {
    double* out = table_.values.data();
    for (Index r = 0; r < table_.rows; ++r) {
      if (!keeps(r)) continue;
      for (const std::size_t column : columns) *out++ = table_.at(r, column);
    }
    Matrix values = std::move(table_.values);
    const Index rows_left = rows();
    const auto columns_left = static_cast<Index>(columns.size());
    values.conservativeResize(rows_left * columns_left, 1);
    values.resize(rows_left, columns_left);  // as many values: Eigen leaves them as they are
    return values;
  }

 private:
  TextTable& table_;
  std::vector<bool> keeps_;
};

std::string quoted_names(const std::vector<const Column*>& columns) {
  constexpr std::size_t most_shown = 8;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(columns.size(), most_shown); ++i) {
    words.push_back(fmt::format("{} ({})", columns[i]->name, columns[i]->why));
  }
  if (columns.size() > most_shown) words.push_back(fmt::format("and {} more", columns.size() - most_shown));
  return join(words);
}

void note_columns(Dataset& dataset, const TextTable& table) {
  std::vector<const Column*> left_out;
  for (const Column& column : dataset.columns) {
    if (!column.why.empty()) left_out.push_back(&column);
  }
  if (!left_out.empty()) {
    dataset.notes.push_back(fmt::format("{} column{} left out: {}", left_out.size(), left_out.size() == 1 ? "" : "s",
                                        quoted_names(left_out)));
  }
  Index missing = 0, incomplete = 0;
  for (const Column& column : dataset.columns) {
    if (!column.why.empty() || column.is_target || column.missing == 0) continue;
    missing += column.missing;
    ++incomplete;
  }
  const bool filled = dataset.missing == MissingRule::median || dataset.missing == MissingRule::mean;
  if (missing > 0 && filled) {
    dataset.notes.push_back(
        fmt::format("{} missing in {}: numbers become the {}, with an indicator; of categories "
                    "missing is a level",
                    missing == 1 ? "1 value is" : fmt::format("{} values are", missing),
                    incomplete == 1 ? "1 column" : fmt::format("{} columns", incomplete), to_string(dataset.missing)));
  }
  std::vector<std::string> dressed;
  for (const Column& column : dataset.columns) {
    if (column.dressed && column.why.empty()) dressed.push_back(column.name);
  }
  if (!dressed.empty()) {
    dataset.notes.push_back(
        fmt::format("currency signs, percent signs and marks between digits passed over in {}", join(dressed)));
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TextColumn& column = table.columns[c];
    if (column.unreadable > 0) {
      dataset.notes.push_back(fmt::format("{}: {} value{} no number, such as '{}', taken as missing",
                                          column_name(table, c), column.unreadable,
                                          column.unreadable == 1 ? " is" : "s are", column.unreadable_example));
    }
    if (column.reading == Reading::date && !column.date_order_known) {
      dataset.notes.push_back(fmt::format("{}: dates read with the {} first; nothing in them tells",
                                          column_name(table, c),
                                          column.date_order == DateOrder::month_first ? "month" : "day"));
    }
  }
}

// Rows without a target say nothing; rows without a value go, or stop the run, if that is wanted.
void drop_rows(Compaction& rows, const TextTable& table, Dataset& dataset, std::size_t target, std::string_view text,
               MissingRule rule) {
  Index without_target = 0, without_value = 0;
  for (Index r = 0; r < table.rows; ++r) {
    if (std::isnan(table.at(r, target))) {
      rows.drop(r);
      ++without_target;
      continue;
    }
    if (rule != MissingRule::drop && rule != MissingRule::error) continue;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (dataset.columns[c].input < 0 || !std::isnan(table.at(r, c))) continue;
      if (rule == MissingRule::error) {
        throw Error(ErrorKind::data, place_of(text, dataset.name, table, r, c) +
                                         ": missing value; fill it in, or choose what becomes of missing values");
      }
      rows.drop(r);
      ++without_value;
      break;
    }
  }
  if (without_target > 0) {
    dataset.notes.push_back(
        fmt::format("{} row{} without a target dropped", without_target, without_target == 1 ? "" : "s"));
  }
  if (without_value > 0) {
    dataset.notes.push_back(
        fmt::format("{} row{} with missing values dropped", without_value, without_value == 1 ? "" : "s"));
  }
  if (rows.rows() == 0) {
    const TextColumn& column = table.columns[target];
    const std::string reason =
        column.unreadable > 0 ? fmt::format("; '{}' in the target column is no number", column.unreadable_example) : "";
    throw Error(ErrorKind::data, fmt::format("{}: no row is left: {} without a target, {} with missing values{}",
                                             dataset.name, without_target, without_value, reason));
  }
}

// Mixed numbers and names are almost always a slip in a column of numbers: not taken for classes unasked. `texts` are
// what the values of the column stand for.
void check_target_texts(const TextTable& table, std::size_t target, const std::vector<std::string>& texts,
                        std::optional<Task> task, std::string_view source, const std::string& name) {
  std::vector<bool> is_number;
  for (const std::string& text : texts) {
    double value = 0;
    is_number.push_back(read_number(text, table.dialect.decimal, value) == Numeral::finite);
  }
  Index numbers = 0, rows = 0, first = -1;
  for (Index r = 0; r < table.rows; ++r) {
    const double value = table.at(r, target);
    if (std::isnan(value)) continue;
    ++rows;
    if (is_number[static_cast<std::size_t>(value)]) {
      ++numbers;
    } else if (first < 0) {
      first = r;
    }
  }
  if (first < 0 || task == Task::classification || (numbers == 0 && task != Task::regression)) return;
  const std::string place = fmt::format("{}: '{}' is not a number", place_of(source, name, table, first, target),
                                        texts[static_cast<std::size_t>(table.at(first, target))]);
  if (task == Task::regression) throw Error(ErrorKind::data, place + ", and regression needs numbers");
  throw Error(ErrorKind::data, fmt::format("{}, while {} of {} targets are; correct it, or choose the task "
                                           "classification to take all of them as names of classes",
                                           place, numbers, rows));
}

void set_targets(Dataset& dataset, const TextTable& table, std::size_t target, const std::vector<double>& values,
                 std::optional<Task> task) {
  const TextColumn& column = table.columns[target];
  const std::string name = column_name(table, target);
  if (column.reading == Reading::date && task != Task::classification) {
    dataset.notes.push_back(fmt::format("target '{}' holds dates: regression of days since 1970-01-01", name));
  }
  if (column.too_many) {
    throw Error(ErrorKind::data, fmt::format("{}: target '{}' has more than 65536 distinct texts, so it does not hold "
                                             "classes; choose another column as target",
                                             dataset.name, name));
  }
  if (column.reading != Reading::text) {
    Matrix numbers(static_cast<Index>(values.size()), 1);
    std::copy(values.begin(), values.end(), numbers.data());
    return set_numeric_targets(dataset, std::move(numbers), {}, name,
                               column.reading == Reading::date && !task ? Task::regression : task);
  }
  const std::vector<std::string>& classes = dataset.columns[target].levels;
  std::vector<int> places;
  places.reserve(values.size());
  for (const double value : values) places.push_back(static_cast<int>(value));
  set_text_targets(dataset, std::move(places), classes, name);
}

}  // namespace

Dataset table_dataset(std::string_view text, const LoadOptions& options) {
  Dataset dataset;
  dataset.name = source_name(options.source);
  dataset.is_table = true;
  dataset.missing = options.table.missing;
  ColumnChoice choice;
  TextTable table = read_text_table(text, dataset.name, options.table,
                                    [&](const TableDialect& dialect, std::vector<TextColumn>& columns) {
                                      choice = choose_columns(options, dialect, columns);
                                      for (std::size_t c = 0; c < columns.size(); ++c) {
                                        columns[c].strict = c == choice.target;
                                        if (!choice.categorical[c] && !choice.numeric[c]) continue;
                                        columns[c].reading = choice.numeric[c] ? Reading::number : Reading::text;
                                        columns[c].fixed = true;
                                      }
                                    });
  dataset.dialect = table.dialect;
  dataset.notes = table.notes;
  dataset.columns = understand_columns(table, choice);
  dataset.target_name = column_name(table, choice.target);
  if (options.target_column.empty()) {
    dataset.notes.push_back(fmt::format("target is {}, the last column{}",
                                        table.dialect.header ? "'" + dataset.target_name + "'" : dataset.target_name,
                                        choice.target + 1 == table.columns.size() ? "" : " with values"));
  }
  note_columns(dataset, table);
  Compaction rows(table);
  drop_rows(rows, table, dataset, choice.target, text, options.table.missing);
  std::vector<std::size_t> used;
  for (const Column& column : dataset.columns) {
    if (column.input < 0) continue;
    used.push_back(static_cast<std::size_t>(column.position) - 1);
    if (table.dialect.header) dataset.feature_names.push_back(column.name);
  }
  if (used.empty() && table.rows == 1) {
    throw Error(ErrorKind::data, fmt::format("{} has 1 row; at least 2 are needed", dataset.name));
  }
  if (used.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: no column is left to learn from ({})", dataset.name, join(dataset.notes, "; ")));
  }
  if (table.columns[choice.target].reading == Reading::text && !table.columns[choice.target].too_many) {
    check_target_texts(table, choice.target, dataset.columns[choice.target].levels, options.task, text, dataset.name);
  }
  const std::vector<double> targets = rows.take_column(choice.target);
  dataset.train.inputs = rows.take(used);
  set_targets(dataset, table, choice.target, targets, options.task);
  note_rows(dataset);
  return dataset;
}

Dataset load_table(const LoadOptions& options) {
  SourceText source(options.source);
  std::vector<std::string> notes;
  make_table_text(source, source_name(options.source), notes);
  Dataset dataset = table_dataset(source.text(), options);
  dataset.notes.insert(dataset.notes.begin(), notes.begin(), notes.end());
  return dataset;
}

}  // namespace priorfit::internal

// Tables read as another one was.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/load_table.hpp"
#include "data/numbers.hpp"
#include "data/source_text.hpp"
#include "data/table_source.hpp"
#include "data/text_table.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

// Where the columns are in this table; none when they are not there.
std::vector<std::optional<std::size_t>> find_places(bool header, const std::vector<Column>& all,
                                                    const TableDialect& dialect,
                                                    const std::vector<TextColumn>& columns) {
  std::vector<std::optional<std::size_t>> places;
  for (const Column& wanted : all) {
    std::optional<std::size_t> place;
    if (header && dialect.header) {
      for (std::size_t c = 0; c < columns.size() && !place; ++c) {
        const bool nameless = columns[c].name.empty() && wanted.name == fmt::format("column {}", c + 1);
        if (columns[c].name == wanted.name || nameless) place = c;
      }
    } else if (wanted.position >= 1 && wanted.position <= static_cast<Index>(columns.size())) {
      place = static_cast<std::size_t>(wanted.position) - 1;
    }
    places.push_back(place);
  }
  return places;
}

// The target goes along as one more column.
std::vector<Column> with_target(const TableShape& shape) {
  std::vector<Column> columns = shape.columns;
  Column target;
  target.name = shape.target;
  target.position = shape.target_position;
  target.kind = shape.task == Task::classification ? ColumnKind::category : ColumnKind::number;
  if (shape.target_is_date) target.kind = ColumnKind::date;
  target.levels = shape.classes;
  columns.push_back(std::move(target));
  return columns;
}

// Truth values in words are read as text, and those written 0 and 1 as numbers.
bool is_coded(const Column& column) {
  return column.kind == ColumnKind::category ||
         (column.kind == ColumnKind::boolean && column.levels.size() == 2 && column.levels[0] != "0");
}

void set_reading(TextColumn& column, const Column& wanted) {
  column.reading = is_coded(wanted) ? Reading::text : wanted.kind == ColumnKind::date ? Reading::date : Reading::number;
  column.date_order = wanted.date_order;
  column.date_order_known = true;
  column.fixed = true;
}

// For each text of a column its place among the levels; behind them, or NaN for a truth value, when it is none.
std::vector<double> places_of(const std::vector<std::string>& texts, const Column& wanted, bool is_target,
                              char decimal) {
  const std::vector<std::string>& levels = wanted.levels;
  std::vector<double> places;
  for (const std::string& text : texts) {
    if (wanted.kind == ColumnKind::boolean) {
      const std::optional<bool> truth = truth_value(text);
      places.push_back(truth ? (*truth ? 1.0 : 0.0) : NAN);
      continue;
    }
    auto found = std::find(levels.begin(), levels.end(), text);
    double value = 0;
    // Classes that were numbers may be written in another way: 1 and 1.0.
    if (found == levels.end() && is_target && read_number(text, decimal, value) == Numeral::finite) {
      found = std::find(levels.begin(), levels.end(), fmt::format("{}", value));
    }
    places.push_back(static_cast<double>(found - levels.begin()));
  }
  return places;
}

using Places = std::vector<std::optional<std::size_t>>;  // of the columns that are wanted; none: not there

class LikeReader {
 public:
  LikeReader(const TableShape& shape, const LoadOptions& options)
      : shape_(shape), wanted_(with_target(shape)), inputs_(shape.columns.size()) {
    dataset_.name = source_name(options.source);
    dataset_.is_table = true;
    dataset_.task = shape.task;
    dataset_.target_name = shape.target;
    dataset_.output_names = shape.classes;
  }

  Dataset read(const LoadOptions& options) {
    SourceText source(options.source);
    std::vector<std::string> known;
    make_table_text(source, dataset_.name, known);
    ExpectedTable expected{shape_.dialect, {}};
    if (shape_.header) {
      for (const Column& column : wanted_) expected.names.push_back(column.name);
    }
    const auto plan = [&](const TableDialect& dialect, std::vector<TextColumn>& columns) {
      places_ = find_places(shape_.header, wanted_, dialect, columns);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i]) set_reading(columns[*places_[i]], wanted_[i]);
      }
    };
    table_ = read_text_table(source.text(), dataset_.name, options.table, plan, &expected);
    dataset_.dialect = table_.dialect;
    for (std::size_t i = 0; i < wanted_.size(); ++i) take_column(i);
    fill_inputs();
    note_absent();
    if (places_.back()) fill_targets();
    return std::move(dataset_);
  }

 private:
  void take_column(std::size_t i) {
    codes_.emplace_back();
    if (!places_[i]) return;
    const TextColumn& read = table_.columns[*places_[i]];
    wanted_[i].missing = read.missing;
    if (read.reading == Reading::text) {
      codes_[i] = places_of(read.texts, wanted_[i], i == inputs_, table_.dialect.decimal);
    }
    if (read.unreadable == 0) return;
    dataset_.notes.push_back(fmt::format("{}: {} value{} not as before, such as '{}', taken as missing",
                                         wanted_[i].name, read.unreadable, read.unreadable == 1 ? " is" : "s are",
                                         read.unreadable_example));
  }

  double value(Index row, std::size_t i) const {
    if (!places_[i]) return NAN;
    const double read = table_.at(row, *places_[i]);
    if (codes_[i].empty() || std::isnan(read)) return read;
    return codes_[i][static_cast<std::size_t>(read)];
  }

  void fill_inputs() {
    dataset_.train.inputs.resize(table_.rows, static_cast<Index>(inputs_));
    for (Index r = 0; r < table_.rows; ++r) {
      for (std::size_t i = 0; i < inputs_; ++i) {
        const double read = value(r, i);
        const bool no_truth = wanted_[i].kind == ColumnKind::boolean && read != 0.0 && read != 1.0;
        dataset_.train.inputs(r, static_cast<Index>(i)) = no_truth ? NAN : read;
      }
    }
  }

  void note_absent() {
    std::vector<std::string> absent;
    for (std::size_t i = 0; i < inputs_; ++i) {
      Column column = wanted_[i];
      column.input = static_cast<Index>(i);
      if (!places_[i]) {
        absent.push_back(column.name);
        column.missing = table_.rows;
      }
      dataset_.columns.push_back(std::move(column));
      if (shape_.header) dataset_.feature_names.push_back(wanted_[i].name);
    }
    if (absent.size() == inputs_) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: none of the {} columns is there ({})", dataset_.name, inputs_, join(absent)));
    }
    if (absent.empty()) return;
    dataset_.notes.push_back(fmt::format("{} column{} not in {} and count{} as missing: {}", absent.size(),
                                         absent.size() == 1 ? " is" : "s are", dataset_.name,
                                         absent.size() == 1 ? "s" : "", join(absent)));
  }

  void fill_targets() {
    if (shape_.task == Task::regression) {
      dataset_.train.targets.resize(table_.rows, 1);
      for (Index r = 0; r < table_.rows; ++r) dataset_.train.targets(r, 0) = value(r, inputs_);
      dataset_.output_names = {shape_.target};
      return;
    }
    const auto known = static_cast<double>(shape_.classes.size());
    for (Index r = 0; r < table_.rows; ++r) {
      const double place = value(r, inputs_);
      dataset_.train.labels.push_back(std::isnan(place) ? -1 : static_cast<int>(place));
    }
    // The first class that is not known stands for all such.
    const std::vector<std::string>& texts = table_.columns[*places_.back()].texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (codes_.back()[i] == known) return dataset_.output_names.push_back(texts[i]);
    }
  }

  const TableShape& shape_;
  std::vector<Column> wanted_;  // the inputs, and the target behind them
  const std::size_t inputs_;
  Dataset dataset_;
  TextTable table_;
  Places places_;
  std::vector<std::vector<double>> codes_;  // of columns read as text: text -> place
};

}  // namespace

Dataset load_table_like(const TableShape& shape, const LoadOptions& options) {
  return LikeReader(shape, options).read(options);
}

void drop_unusable(Dataset& dataset) {
  Samples& rows = dataset.train;
  Index kept = 0;
  for (Index r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const bool missing = rows.labels.empty() ? std::isnan(rows.targets(r, 0)) : rows.labels[row] < 0;
    if (missing) continue;
    rows.inputs.row(kept) = rows.inputs.row(r);
    if (rows.labels.empty()) {
      rows.targets.row(kept) = rows.targets.row(r);
    } else {
      rows.labels[static_cast<std::size_t>(kept)] = rows.labels[row];
    }
    ++kept;
  }
  if (kept == rows.size()) return;
  dataset.notes.push_back(fmt::format("{} row{} of {} without a target dropped", rows.size() - kept,
                                      rows.size() - kept == 1 ? "" : "s", dataset.name));
  rows.inputs.conservativeResize(kept, Eigen::NoChange);
  if (rows.labels.empty()) {
    rows.targets.conservativeResize(kept, Eigen::NoChange);
  } else {
    rows.labels.resize(static_cast<std::size_t>(kept));
  }
}

}  // namespace priorfit::internal

#include "data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "data/records.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace {

using Fields = std::vector<std::string_view>;

constexpr std::size_t longest_quotation = 40;  // characters of a bad value that a message repeats

std::string excerpt(std::string_view value) {
  if (value.size() <= longest_quotation) return std::string(value);
  return std::string(value.substr(0, longest_quotation)) + "...";
}

bool is_missing(std::string_view field) {
  if (field.empty() || field == "?") return true;
  std::string lower(field.substr(0, 5));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null";
}

// Rows in blocks, so that growing never holds two copies; `take` frees each block once it is copied.
class RowBlocks {
 public:
  /// No more than `most_values` will be added.
  RowBlocks(std::size_t columns, std::uint64_t most_values)
      : columns_(columns),
        rows_per_block_(std::max<std::size_t>(1, std::min<std::uint64_t>(block_values, most_values) / columns)) {}

  double* add_row() {
    if (rows_ % rows_per_block_ == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<double[]>(rows_per_block_ * columns_));
    }
    return blocks_.back().get() + (rows_++ % rows_per_block_) * columns_;
  }

  Matrix take() {
    Matrix matrix(static_cast<Index>(rows_), static_cast<Index>(columns_));
    double* out = matrix.data();
    std::size_t left = rows_ * columns_;
    for (auto& block : blocks_) {
      const std::size_t count = std::min(left, rows_per_block_ * columns_);
      out = std::copy_n(block.get(), count, out);
      left -= count;
      block.reset();
    }
    return matrix;
  }

 private:
  // 32 MB: glibc maps such blocks on their own, so that freeing one really returns it.
  static constexpr std::size_t block_values = std::size_t{1} << 22;
  std::size_t columns_;
  std::size_t rows_per_block_;
  std::size_t rows_ = 0;
  std::vector<std::unique_ptr<double[]>> blocks_;
};

bool is_name(std::string_view field) {
  double value = 0;
  return parse_number(field, value) == Numeral::text;
}

// A header names at least one column that holds a number below, or has nothing but names.
bool is_header(const std::vector<std::string>& first, const Fields* second) {
  if (std::all_of(first.begin(), first.end(), [](const std::string& field) { return is_name(field); })) return true;
  if (second == nullptr || second->size() != first.size()) return false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (is_name(first[c]) && !is_name((*second)[c])) return true;
  }
  return false;
}

class TableReader {
 public:
  TableReader(ByteSource& source, const std::string& target_column) : source_(source), records_(source) {
    if (!records_.next()) throw Error(ErrorKind::data, source_.name() + ": the file is empty");
    first_line_ = records_.line();
    const std::vector<std::string> first(records_.fields().begin(), records_.fields().end());
    columns_ = first.size();
    if (columns_ < 2) {
      fail_line(first_line_,
                "one column; a table needs at least one feature and the target "
                "(separated by commas, semicolons, tabs or blanks)");
    }
    has_record_ = records_.next();
    has_header_ = is_header(first, has_record_ ? &records_.fields() : nullptr);
    if (has_header_) names_ = first;
    if (has_header_ && !has_record_) throw Error(ErrorKind::data, source_.name() + ": a header and no rows");
    target_ = find_target(target_column);
    blocks_.emplace(columns_ - 1, source_.size_bound() / 2 + 1);  // a digit and a separator each
    if (!has_header_) {
      const Fields fields(first.begin(), first.end());
      add(fields, first_line_);
    }
  }

  Table read() {
    for (; has_record_; has_record_ = records_.next()) add(records_.fields(), records_.line());
    table_.features = blocks_->take();
    table_.target_numbers = Eigen::Map<const Vector>(numbers_.data(), static_cast<Index>(numbers_.size()));
    table_.target_name = has_header_ ? names_[target_] : fmt::format("column {}", target_ + 1);
    table_.target_is_last = target_ + 1 == columns_;
    table_.feature_names = names_;
    if (has_header_) table_.feature_names.erase(table_.feature_names.begin() + static_cast<std::ptrdiff_t>(target_));
    return std::move(table_);
  }

 private:
  std::size_t find_target(const std::string& wanted) const {
    if (wanted.empty()) return columns_ - 1;
    const auto named = std::find(names_.begin(), names_.end(), wanted);
    if (named != names_.end()) return static_cast<std::size_t>(named - names_.begin());
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const bool is_number = error == std::errc() && stop == wanted.data() + wanted.size();
    if (is_number && number >= 1 && number <= columns_) return number - 1;
    std::string problem = fmt::format("{}: there is no target column '{}'", source_.name(), wanted);
    if (!has_header_) {
      problem += fmt::format("; the table has no header, so give a number from 1 to {}", columns_);
    } else {
      problem += suggestion(wanted, names_);
      const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(names_.size(), 20));
      problem += fmt::format(" columns: {}{}", join({names_.begin(), names_.begin() + shown}),
                             names_.size() > 20 ? ", ..." : "");
    }
    throw Error(ErrorKind::usage, problem);
  }

  void add(const Fields& fields, std::int64_t line) {
    if (fields.size() != columns_) {
      fail_line(line,
                fmt::format("{} fields where {} are expected, as in line {}", fields.size(), columns_, first_line_));
    }
    double* out = blocks_->add_row();
    for (std::size_t c = 0; c < columns_; ++c) {
      double value = 0;
      const Numeral numeral = parse_number(fields[c], value);
      if (numeral != Numeral::finite) check(numeral, fields[c], line, c);
      if (c == target_) {
        add_target(fields[c], value, numeral, line);
      } else {
        *out++ = value;
      }
    }
  }

  void add_target(std::string_view field, double value, Numeral numeral, std::int64_t line) {
    table_.target_text.emplace_back(field);
    numbers_.push_back(value);
    if (numeral == Numeral::finite) {
      ++table_.numeric_targets;
    } else if (table_.first_text_target.empty()) {
      table_.first_text_target = fmt::format("{}: '{}'", place(line, target_), excerpt(field));
    }
  }

  void check(Numeral numeral, std::string_view field, std::int64_t line, std::size_t column) const {
    const std::string value = excerpt(field);
    if (numeral == Numeral::missing) {
      throw Error(ErrorKind::data, fmt::format("{}: missing value '{}'; fill it in or remove the row (or the column)",
                                               place(line, column), value));
    }
    if (numeral == Numeral::not_finite) {
      throw Error(ErrorKind::data, fmt::format("{}: '{}' is not a finite number", place(line, column), value));
    }
    if (column == target_) return;  // names of classes
    const char* remedy = is_decimal_comma(field)
                             ? "write decimals with a point"
                             : "features must be numbers: encode text as numbers first, for instance "
                               "one 0/1 column for each value";
    throw Error(ErrorKind::data, fmt::format("{}: '{}' is not a number; {}", place(line, column), value, remedy));
  }

  static bool is_decimal_comma(std::string_view field) {
    std::string point(field);
    std::replace(point.begin(), point.end(), ',', '.');
    return point != field && !is_name(point);
  }

  std::string place(std::int64_t line, std::size_t column) const {
    const std::string name = has_header_ ? fmt::format(" ('{}')", names_[column]) : "";
    return fmt::format("{}, line {}, column {}{}", source_.name(), line, column + 1, name);
  }

  [[noreturn]] void fail_line(std::int64_t line, const std::string& problem) const {
    throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", source_.name(), line, problem));
  }

  ByteSource& source_;
  RecordReader records_;
  Table table_;
  std::vector<std::string> names_;
  std::vector<double> numbers_;
  std::optional<RowBlocks> blocks_;
  std::size_t columns_ = 0;
  std::size_t target_ = 0;
  std::int64_t first_line_ = 0;
  bool has_header_ = false;
  bool has_record_ = false;
};

}  // namespace

Numeral parse_number(std::string_view field, double& value) {
  const char* const end = field.data() + field.size();
  const char* begin = field.data();
  if (field.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop == end && begin != end) {
    if (error == std::errc() && std::isfinite(value)) return Numeral::finite;
    if (error == std::errc::result_out_of_range) {
      // Too small becomes 0, as strtod has it; too large stays an error.
      value = std::strtod(std::string(field).c_str(), nullptr);
      return std::isfinite(value) ? Numeral::finite : Numeral::not_finite;
    }
    if (!is_missing(field)) return Numeral::not_finite;
  }
  value = 0;
  return is_missing(field) ? Numeral::missing : Numeral::text;
}

Table read_table(ByteSource& source, const std::string& target_column) {
  return TableReader(source, target_column).read();
}

}  // namespace priorfit

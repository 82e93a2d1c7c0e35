#include "data/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "arrays/matrix_memory.hpp"
#include "data/dates.hpp"
#include "data/dialect.hpp"
#include "data/numbers.hpp"
#include "data/text_chunks.hpp"
#include "priorfit/error.hpp"
#include "support/loop_error.hpp"
#include "support/text.hpp"
#include "support/text_hash.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t sample_bytes = std::size_t{1} << 16;
constexpr std::size_t sample_records = 500;
constexpr std::size_t most_kept_texts = std::size_t{1} << 16;
constexpr double tolerated_share = 0.05;  // of the fields of a column of numbers that are something else
constexpr std::size_t code_like_values = 20;

using Record = std::vector<std::string>;

std::int64_t line_of(std::string_view text, const char* at) {
  return 1 + std::count(text.data(), std::min(at, text.data() + text.size()), '\n');
}

[[noreturn]] void fail(std::string_view text, const std::string& name, const char* at, const std::string& problem) {
  throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", name, line_of(text, at), problem));
}

// Whole lines for a look at how the table is written: two, however long, since the first may hold names only.
std::string_view sample_of(std::string_view body) {
  if (body.size() <= sample_bytes) return body;
  const std::size_t first = body.find('\n');
  if (first == std::string_view::npos) return body;
  const std::size_t end = body.rfind('\n', sample_bytes);
  if (end != std::string_view::npos && end > first) return body.substr(0, end);
  return body.substr(0, body.find('\n', first + 1));
}

bool all_dates(const std::vector<std::string_view>& fields, DateOrder order) {
  return std::all_of(fields.begin(), fields.end(), [&](std::string_view f) { return read_date(f, order).has_value(); });
}

// What the first fields of a column look like.
void guess_reading(TextColumn& column, const std::vector<std::string_view>& fields, char decimal) {
  if (fields.empty()) return;
  if (std::all_of(fields.begin(), fields.end(), is_unknown)) {
    column.reading = Reading::text;
    return;
  }
  const auto is_plain_number = [&](std::string_view field) {
    double value = 0;
    return (read_number(field, decimal, value) != Numeral::text && !has_leading_zero(field)) || is_unknown(field);
  };
  const auto is_compact_date = [](std::string_view field) {
    return field.size() == 8 && read_date(field, DateOrder::year_first).has_value();
  };
  constexpr std::size_t enough_dates = 3;
  const bool compact = fields.size() >= enough_dates && std::all_of(fields.begin(), fields.end(), is_compact_date);
  if (!compact && std::all_of(fields.begin(), fields.end(), is_plain_number)) return;
  column.reading = Reading::text;
  std::vector<DateOrder> fitting;
  for (const DateOrder order : {DateOrder::year_first, DateOrder::day_first, DateOrder::month_first}) {
    if (all_dates(fields, order)) fitting.push_back(order);
  }
  if (fitting.empty()) {
    // Mostly numbers: read as such, and what is not is counted.
    const auto numbers = std::count_if(fields.begin(), fields.end(), is_plain_number);
    if (static_cast<double>(numbers) >= (1.0 - tolerated_share) * static_cast<double>(fields.size())) {
      column.reading = Reading::number;
    }
    return;
  }
  column.reading = Reading::date;
  column.date_order = fitting.front();
  // 03/04/2021 is March 4 where it is written with slashes, and April 3 elsewhere.
  if (fitting.size() > 1 && fitting.front() != DateOrder::year_first) {
    column.date_order_known = false;
    const bool slashes = std::any_of(fields.begin(), fields.end(),
                                     [](std::string_view f) { return f.find('/') != std::string_view::npos; });
    if (slashes) column.date_order = DateOrder::month_first;
  }
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  TextTable read(const TableOptions& wanted, const ColumnPlan& plan, const ExpectedTable* expected) {
    const Prologue prologue = read_prologue(text_);
    begin_at(prologue.length);
    if (body_.empty()) throw Error(ErrorKind::data, name_ + ": the file is empty");
    std::string_view sample = sample_of(body_);
    if (const auto* zero = std::memchr(sample.data(), '\0', sample.size())) {
      fail(text_, name_, static_cast<const char*>(zero), "holds zero bytes, so it is not a text table");
    }
    TableOptions options = wanted;
    if (!options.separator) options.separator = prologue.separator;
    table_.dialect = detect_dialect(sample, options);
    if (const std::size_t titles = title_length(sample, table_.dialect); titles > 0) {
      table_.notes.push_back(fmt::format("passed over before the table: '{}'", first_line(sample)));
      begin_at(table_.start + titles);
      sample = sample_of(body_);
      table_.dialect = detect_dialect(sample, options);
    }
    if (!wanted.no_header && !table_.dialect.header && prologue.last_comment > 0) {
      sample = take_commented_header(prologue.last_comment, sample);
    }
    if (expected != nullptr) follow(*expected, wanted, sample);
    look(sample);
    plan(table_.dialect, table_.columns);
    fill();
    return std::move(table_);
  }

 private:
  void begin_at(std::size_t start) {
    table_.start = start;
    body_ = text_.substr(start);
  }

  // A few rows may not show what a whole table did.
  void follow(const ExpectedTable& expected, const TableOptions& wanted, std::string_view sample) {
    TableDialect& dialect = table_.dialect;
    if (!wanted.decimal && dialect.separator == expected.dialect.separator) dialect.decimal = expected.dialect.decimal;
    if (wanted.no_header || expected.names.empty()) return;
    RecordSplitter splitter(sample, dialect.separator, dialect.quote);
    Record first;
    splitter.next(first);
    const bool named = std::any_of(first.begin(), first.end(), [&](const std::string& field) {
      return std::find(expected.names.begin(), expected.names.end(), field) != expected.names.end();
    });
    dialect.header = dialect.header || named;
  }

  static std::string_view first_line(std::string_view text) {
    constexpr std::size_t longest = 60;
    return trimmed(text.substr(0, std::min(text.find('\n'), longest)));
  }

  // NumPy writes the names of columns as a comment.
  std::string_view take_commented_header(std::size_t comment, std::string_view sample) {
    const std::string_view line = text_.substr(comment, text_.find('\n', comment) - comment);
    RecordSplitter splitter(sample, table_.dialect.separator, table_.dialect.quote);
    Record first;
    splitter.next(first);
    if (!is_commented_header(line, table_.dialect, first.size())) return sample;
    begin_at(comment);
    table_.dialect.header = true;
    return sample_of(body_);
  }

  // Names, the number of columns and a first guess at each.
  void look(std::string_view sample) {
    RecordSplitter splitter(sample, table_.dialect.separator, table_.dialect.quote);
    std::vector<Record> records;
    for (Record record; records.size() < sample_records && splitter.next(record);) {
      check_columns(splitter.last_size());
      records.push_back(record);
    }
    if (records.empty()) throw Error(ErrorKind::data, name_ + ": the file is empty");
    Record names;
    if (table_.dialect.header) {
      names = records.front();
      records.erase(records.begin());
      if (records.empty()) throw Error(ErrorKind::data, name_ + ": a header and no rows");
      fit_names(names, records);
    }
    const std::size_t columns = table_.dialect.header ? names.size() : records.front().size();
    if (columns < 2) {
      fail(text_, name_, body_.data(),
           "one column; a table needs at least one feature and the target "
           "(separated by commas, semicolons, tabs or blanks)");
    }
    table_.columns.resize(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (table_.dialect.header) table_.columns[c].name = names[c];
      std::vector<std::string_view> fields;
      for (const Record& record : records) {
        if (c < record.size() && !is_missing(record[c])) fields.push_back(record[c]);
      }
      table_.columns[c].hollow = fields.empty();
      guess_reading(table_.columns[c], fields, table_.dialect.decimal);
    }
  }

  // Rows may have one field more than there are names: that of the row, as R writes it, or nothing behind a last
  // separator.
  void fit_names(Record& names, const std::vector<Record>& records) {
    const auto all = [&](std::size_t size, auto matches) {
      return std::all_of(records.begin(), records.end(),
                         [&](const Record& record) { return record.size() == size && matches(record); });
    };
    const auto ends_empty = [](const Record& record) { return record.back().empty(); };
    if (names.size() > 2 && names.back().empty() && all(names.size() - 1, [](const Record&) { return true; })) {
      names.pop_back();
    }
    if (records.front().size() == names.size() + 1 && !all(names.size() + 1, ends_empty))
      names.insert(names.begin(), "");
    // As pandas calls them, so that the names of a recipe are those of a DataFrame.
    std::map<std::string, int> seen;
    std::vector<std::string> renamed;
    for (std::string& name : names) {
      if (name.empty()) continue;
      const std::string first = name;
      while (seen.contains(name)) name = fmt::format("{}.{}", first, seen[first]++);
      seen.emplace(name, 1);
      if (name != first) renamed.push_back(name);
    }
    if (!renamed.empty()) {
      table_.notes.push_back(fmt::format("{} column{} of a name that came before, called {}", renamed.size(),
                                         renamed.size() == 1 ? " is" : "s are", join(renamed)));
    }
  }

  void check_columns(std::size_t columns) const {
    if (columns <= most_columns) return;
    throw Error(ErrorKind::data, fmt::format("{}: {} columns; at most {} are read", name_, columns, most_columns));
  }

  // Past the header, which is the first record.
  std::string_view rows_text() const {
    if (!table_.dialect.header) return body_;
    bool open = false;
    const char* const end = body_.data() + body_.size();
    const char* const stop = record_end(body_.data(), end, table_.dialect, open);
    if (stop < end) return body_.substr(static_cast<std::size_t>(stop - body_.data()) + 1);
    return {};
  }

  void fill() {
    const std::string_view rows = rows_text();
    chunks_ = cut(rows, table_.dialect);
    check_failures();
    table_.rows = chunks_.empty() ? 0 : chunks_.back().first_row + chunks_.back().rows;
    if (table_.rows == 0) throw Error(ErrorKind::data, name_ + ": a header and no rows");
    const auto columns = static_cast<Index>(table_.columns.size());
    check_matrix_fits(table_.rows, columns, name_);
    table_.values.resize(table_.rows * columns, 1);
    std::vector<bool> active(table_.columns.size(), true);
    pass(active);
    bool again = false;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      active[c] = settle(c);
      again = again || active[c];
    }
    if (again) {
      pass(active);
      for (std::size_t c = 0; c < table_.columns.size(); ++c) {
        if (active[c]) collect(c);
      }
    }
  }

  void pass(const std::vector<bool>& active) {
    LoopError error;
    const auto count = static_cast<std::ptrdiff_t>(chunks_.size());
#pragma omp parallel for schedule(dynamic)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      error.guard([&] { read_chunk(chunks_[static_cast<std::size_t>(i)], active, table_); });
    }
    error.rethrow();
    check_failures();
  }

  void check_failures() const {
    for (const Chunk& chunk : chunks_) {
      if (chunk.failure) fail(text_, name_, chunk.failure->at, chunk.failure->problem);
    }
  }

  // Adds up what the chunks found in a column; true when it has to be read again, as text.
  bool settle(std::size_t c) {
    TextColumn& column = table_.columns[c];
    collect(c);
    if (column.reading == Reading::text || column.fixed) return false;
    Index codes = 0;
    for (const Chunk& chunk : chunks_) codes += chunk.found[c].codes;
    const Index values = table_.rows - column.missing;
    const bool is_code = codes > 0 && all_whole(c);
    const bool misfit =
        column.unreadable > 0 &&
        (column.strict || column.reading == Reading::date || values == 0 ||
         static_cast<double>(column.unreadable) > tolerated_share * static_cast<double>(values) || few_values(c));
    if (!is_code && !misfit) return false;
    column.reading = Reading::text;
    column.missing = column.unreadable = 0;
    return true;
  }

  void collect(std::size_t c) {
    TextColumn& column = table_.columns[c];
    column.missing = column.unreadable = column.dressed = 0;
    for (Chunk& chunk : chunks_) {
      column.missing += chunk.found[c].missing;
      column.dressed += chunk.found[c].dressed;
      if (column.unreadable == 0) column.unreadable_example = chunk.found[c].example;
      column.unreadable += chunk.found[c].unreadable;
    }
    if (column.reading == Reading::text) merge_texts(c);
  }

  // One numbering of texts for all chunks.
  void merge_texts(std::size_t c) {
    TextColumn& column = table_.columns[c];
    std::unordered_map<std::string_view, double, TextHash> places;
    for (Chunk& chunk : chunks_) {
      const TextPool* pool = chunk.found[c].pool.get();
      if (pool == nullptr) continue;
      column.too_many = column.too_many || pool->too_many();
      std::vector<double> places_here;
      for (const std::string_view text : pool->texts()) {
        if (places.size() > most_kept_texts) column.too_many = true;
        if (column.too_many) break;
        places_here.push_back(places.emplace(text, static_cast<double>(places.size())).first->second);
      }
      if (column.too_many) break;
      for (Index r = chunk.first_row; r < chunk.first_row + chunk.rows; ++r) {
        double& value = table_.at(r, c);
        if (!std::isnan(value)) value = places_here[static_cast<std::size_t>(value)];
      }
    }
    if (!column.too_many) {
      column.texts.resize(places.size());
      for (const auto& [text, place] : places) column.texts[static_cast<std::size_t>(place)] = text;
    }
    for (Chunk& chunk : chunks_) chunk.found[c].pool.reset();
  }

  bool all_whole(std::size_t c) const {
    for (Index r = 0; r < table_.rows; ++r) {
      const double value = table_.at(r, c);
      if (!std::isnan(value) && value != std::floor(value)) return false;
    }
    return true;
  }

  bool few_values(std::size_t c) const {
    std::set<double> seen;
    for (Index r = 0; r < table_.rows && seen.size() <= code_like_values; ++r) {
      if (const double value = table_.at(r, c); !std::isnan(value)) seen.insert(value);
    }
    return seen.size() <= code_like_values;
  }

  std::string_view text_;
  const std::string& name_;
  std::string_view body_;
  TextTable table_;
  std::vector<Chunk> chunks_;
};

}  // namespace

TextTable read_text_table(std::string_view text, const std::string& name, const TableOptions& wanted,
                          const ColumnPlan& plan, const ExpectedTable* expected) {
  return Reader(text, name).read(wanted, plan, expected);
}

std::string column_name(const TextTable& table, std::size_t column) {
  const std::string& name = table.columns[column].name;
  return table.dialect.header && !name.empty() ? name : fmt::format("column {}", column + 1);
}

std::string place_of(std::string_view text, const std::string& name, const TextTable& table, Index row,
                     std::size_t column) {
  RecordSplitter splitter(text.substr(table.start), table.dialect.separator, table.dialect.quote);
  std::vector<std::string> fields;
  for (Index r = table.dialect.header ? -1 : 0; r <= row; ++r) splitter.next(fields);
  const char* at = text.data() + table.start + splitter.last_start();
  const std::string named = table.dialect.header ? fmt::format(" ('{}')", table.columns[column].name) : std::string();
  return fmt::format("{}, line {}, column {}{}", name, line_of(text, at), column + 1, named);
}

}  // namespace priorfit::internal

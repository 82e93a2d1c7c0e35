#include "data/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/dates.hpp"
#include "data/numbers.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

using Record = std::vector<std::string>;

constexpr std::size_t most_records = 500;  // that are looked at

std::vector<Record> split(std::string_view sample, char separator, char quote) {
  RecordSplitter splitter(sample, separator, quote);
  std::vector<Record> records;
  for (Record record; records.size() < most_records && splitter.next(record);) records.push_back(record);
  return records;
}

bool is_number(std::string_view field, char decimal) {
  double value = 0;
  const Numeral numeral = read_number(field, decimal, value);
  return numeral == Numeral::finite || numeral == Numeral::not_finite;
}

bool is_plain_number(std::string_view field, char decimal) {
  double value = 0;
  return read_plain(field, decimal, value) == Numeral::finite;
}

bool is_date(std::string_view field) {
  return read_date(field, DateOrder::year_first) || read_date(field, DateOrder::day_first) ||
         read_date(field, DateOrder::month_first);
}

// A field that needs no further splitting.
bool is_atom(std::string_view field) { return is_number(field, '.') || is_number(field, ',') || is_date(field); }

// How well a separator explains the sample: the share of records with the commonest number of fields, more than one,
// weighed by the share of fields that are numbers or dates. 0 when it does not occur.
double quality(const std::vector<Record>& records) {
  std::map<std::size_t, std::size_t> sizes;
  std::size_t fields = 0, atoms = 0;
  for (const Record& record : records) {
    ++sizes[record.size()];
    fields += record.size();
    atoms += static_cast<std::size_t>(std::count_if(record.begin(), record.end(), is_atom));
  }
  std::size_t agree = 0;
  for (const auto& [size, count] : sizes) {
    if (size > 1) agree = std::max(agree, count);
  }
  if (agree == 0) return 0.0;
  return static_cast<double>(agree) / static_cast<double>(records.size()) *
         (0.5 + 0.5 * static_cast<double>(atoms) / static_cast<double>(fields));
}

char detect_separator(std::string_view sample, char quote) {
  // Where two are as good, the one that comes first: a comma may be a decimal mark, blanks may be part of text.
  constexpr char candidates[] = {';', '\t', ',', '|'};
  char best = ',';
  double highest = 0.0;
  const auto try_one = [&](char separator, double weight) {
    const double value = quality(split(sample, separator, quote));
    // Blanks that leave texts in pieces are no separators where something else is.
    const double weighed = value > 0.95 ? value : weight * value;
    if (weighed > highest + 1e-9) {
      highest = weighed;
      best = separator;
    }
  };
  for (const char separator : candidates) {
    if (sample.find(separator) != std::string_view::npos) try_one(separator, 1.0);
  }
  try_one(' ', highest > 0.0 ? 0.75 : 1.0);
  if (highest == 0.0) try_one(':', 1.0);  // times of day have it
  return best;
}

// Single quotes, when they open and close fields and double quotes do not.
char detect_quote(std::string_view sample) {
  std::size_t opened[2] = {}, closed[2] = {};
  const auto is_border = [](char c) { return c == ',' || c == ';' || c == '|' || c == '\n' || is_blank(c); };
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] != '"' && sample[i] != '\'') continue;
    const int which = sample[i] == '\'';
    if (i == 0 || is_border(sample[i - 1])) ++opened[which];
    if (i + 1 == sample.size() || is_border(sample[i + 1])) ++closed[which];
  }
  return opened[0] == 0 && opened[1] > 1 && opened[1] == closed[1] ? '\'' : '"';
}

// "1,234": a number by a decimal comma, and by groups of digits as well.
bool is_ambiguous(std::string_view field) { return is_plain_number(field, ',') && is_number(field, '.'); }

// A decimal comma, when numbers that have one outnumber those with a point. Where nothing else tells, a comma before
// three digits is one too, unless commas separate: then it stands between groups of digits.
char detect_decimal(const std::vector<Record>& records, char separator) {
  std::size_t commas = 0, points = 0, ambiguous = 0;
  for (const Record& record : records) {
    for (const std::string& field : record) {
      const bool has_comma = field.find(',') != std::string::npos;
      if (!has_comma) {
        if (field.find('.') != std::string::npos && is_plain_number(field, '.')) ++points;
      } else if (is_ambiguous(field)) {
        ++ambiguous;
      } else if (is_number(field, ',')) {
        ++commas;
      } else if (is_number(field, '.')) {
        ++points;
      }
    }
  }
  if (commas == points) return ambiguous > 0 && separator != ',' ? ',' : '.';
  return commas > points ? ',' : '.';
}

bool is_value(const std::string& field, char decimal) { return is_number(field, decimal) || is_date(field); }

// Three whole numbers or more that follow each other, as in 0,1,2,… of a table without names and 2019,2020,2021.
bool counts_columns(const Record& record, char decimal) {
  double before = 0.0;
  std::size_t numbers = 0;
  for (const std::string& field : record) {
    double value = 0.0;
    if (read_plain(field, decimal, value) != Numeral::finite) continue;
    if (value != std::floor(value) || (numbers > 0 && value != before + 1.0)) return false;
    before = value;
    ++numbers;
  }
  return numbers >= 3;
}

// A header names a column of numbers or dates; or it has nothing but names, none of which comes again below it; or it
// counts the columns.
bool detect_header(const std::vector<Record>& records, char decimal) {
  const Record& first = records.front();
  if (records.size() > 2 && counts_columns(first, decimal) &&
      std::none_of(records.begin() + 1, records.end(), [&](const Record& r) { return counts_columns(r, decimal); })) {
    return true;
  }
  bool only_names = true;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (is_value(first[c], decimal)) only_names = false;
    if (is_value(first[c], decimal) || is_missing(first[c])) continue;
    std::size_t values = 0, others = 0;
    for (std::size_t r = 1; r < records.size(); ++r) {
      if (records[r].size() != first.size() || is_missing(records[r][c])) continue;
      ++(is_value(records[r][c], decimal) ? values : others);
    }
    if (values > 0 && others == 0) return true;
  }
  if (!only_names) return false;
  // The names of rows, as R writes them, have no name of their own.
  if (records.size() > 1 && records[1].size() == first.size() + 1) return true;
  if (std::set<std::string>(first.begin(), first.end()).size() != first.size()) return false;
  for (std::size_t r = 1; r < records.size(); ++r) {
    for (std::size_t c = 0; c < std::min(first.size(), records[r].size()); ++c) {
      if (!first[c].empty() && records[r][c] == first[c]) return false;
    }
  }
  return true;
}

std::string commonest_missing(const std::vector<Record>& records) {
  std::map<std::string, std::size_t> marks;
  for (const Record& record : records) {
    for (const std::string& field : record) {
      if (is_missing(field)) ++marks[field];
    }
  }
  const auto most =
      std::max_element(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == marks.end() ? "" : most->first;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool RecordSplitter::next(std::vector<std::string>& fields) {
  fields.clear();
  last_size_ = 0;
  const auto keep = [&](std::string field) {
    if (++last_size_ <= most_columns) fields.push_back(std::move(field));
  };
  const bool blanks = separator_ == ' ';
  const auto separates = [&](char c) { return c == separator_ || (blanks && is_blank(c)); };
  const auto skip = [&] {
    while (at_ < text_.size() && is_blank(text_[at_]) && !(text_[at_] == separator_ && !blanks)) ++at_;
  };
  for (;;) {  // blank lines
    at_ = std::min(at_, text_.size());
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    if (!trimmed(text_.substr(at_, end - at_)).empty()) break;
    at_ = std::min(end + 1, text_.size());
    if (end == text_.size()) return false;
  }
  last_start_ = at_;
  for (;;) {
    skip();
    std::string field;
    bool ended = false;  // by blanks behind a closing quote
    if (at_ < text_.size() && text_[at_] == quote_) {
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == quote_) {
          if (at_ + 1 >= text_.size() || text_[at_ + 1] != quote_) break;
          ++at_;
        }
        field += text_[at_];
      }
      ++at_;
      ended = blanks && at_ < text_.size() && is_blank(text_[at_]);
      skip();
    } else if (at_ >= text_.size() || text_[at_] == '\n') {
      if (!blanks) keep({});
      ++at_;
      return true;
    }
    const std::size_t first = at_;
    while (!ended && at_ < text_.size() && text_[at_] != '\n' && !separates(text_[at_])) ++at_;
    field += trimmed(text_.substr(std::min(first, text_.size()), at_ - std::min(first, at_)));
    keep(std::move(field));
    if (blanks) skip();
    if (at_ >= text_.size() || text_[at_] == '\n') {
      ++at_;
      return true;
    }
    if (!blanks) ++at_;
  }
}

TableDialect detect_dialect(std::string_view sample, const TableOptions& wanted) {
  TableDialect dialect;
  dialect.quote = detect_quote(sample);
  dialect.separator = wanted.separator.value_or('\0');
  if (!wanted.separator) dialect.separator = detect_separator(sample, dialect.quote);
  const std::vector<Record> records = split(sample, dialect.separator, dialect.quote);
  dialect.decimal = wanted.decimal.value_or(detect_decimal(records, dialect.separator));
  if (wanted.decimal && *wanted.decimal == dialect.separator) {
    throw Error(ErrorKind::usage, fmt::format("'{}' both separates columns and marks decimals; name another separator",
                                              dialect.separator));
  }
  dialect.header = wanted.header || (!wanted.no_header && !records.empty() && detect_header(records, dialect.decimal));
  dialect.missing = commonest_missing(records);
  return dialect;
}

Prologue read_prologue(std::string_view text) {
  Prologue prologue;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    if (line.size() == 5 && line.starts_with("sep=")) {  // Excel's way to say it
      prologue.separator = line[4];
    } else if (!line.empty() && line.front() != '#' && line.front() != '%') {
      break;
    } else if (!line.empty()) {
      prologue.comment = line.front();
      prologue.last_comment = static_cast<std::size_t>(line.data() - text.data()) + 1;
    }
    at = std::min(end + 1, text.size());
  }
  prologue.length = at;
  return prologue;
}

std::size_t title_length(std::string_view sample, const TableDialect& dialect) {
  constexpr std::size_t most_titles = 10;
  const std::vector<Record> records = split(sample, dialect.separator, dialect.quote);
  std::map<std::size_t, std::size_t> sizes;
  for (const Record& record : records) ++sizes[record.size()];
  std::size_t usual = 0, count = 0;
  for (const auto& [size, records_of_it] : sizes) {
    if (records_of_it > count) usual = size, count = records_of_it;
  }
  std::size_t titles = 0;
  while (titles < records.size() && titles < most_titles) {
    const Record& record = records[titles];
    const auto filled = std::count_if(record.begin(), record.end(), [](const auto& field) { return !field.empty(); });
    if (record.size() == usual || record.size() + 1 == usual || filled > 1) break;
    ++titles;
  }
  if (titles == 0 || usual < 2 || 3 * count < 2 * (records.size() - titles)) return 0;
  RecordSplitter splitter(sample, dialect.separator, dialect.quote);
  Record record;
  for (std::size_t r = 0; r <= titles; ++r) splitter.next(record);
  return splitter.last_start();
}

bool is_commented_header(std::string_view line, const TableDialect& dialect, std::size_t columns) {
  const std::vector<Record> records = split(line, dialect.separator, dialect.quote);
  if (records.size() != 1 || records.front().size() != columns) return false;
  return std::none_of(records.front().begin(), records.front().end(),
                      [&](const std::string& field) { return is_missing(field) || is_value(field, dialect.decimal); });
}

}  // namespace priorfit::internal

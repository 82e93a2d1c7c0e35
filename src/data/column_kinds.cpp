#include "data/column_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t always_a_category = 20;  // distinct texts or fewer
constexpr Index least_rows_of_identifiers = 50;
constexpr double identifier_share = 0.9;  // of the values are distinct
constexpr double large_identifier = 1e5;  // whole numbers from here on are identifiers without a name that says so

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// The texts for 0 and 1, or two empty ones.
std::array<std::string, 2> boolean_texts(const std::vector<std::string>& texts) {
  static constexpr std::array<std::array<std::string_view, 2>, 5> pairs = {
      {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"}}};
  if (texts.size() != 2) return {};
  for (const auto& [no, yes] : pairs) {
    for (const int first : {0, 1}) {
      const std::string &a = texts[std::size_t(first)], &b = texts[std::size_t(1 - first)];
      if (lower(a) == no && lower(b) == yes) return {a, b};
    }
  }
  return {};
}

struct NumberFacts {
  double minimum = INFINITY, maximum = -INFINITY;
  bool whole = true;
  bool counts_up = true;  // from 0 or 1, mostly by 1, perhaps beginning again: the number of a row
};

NumberFacts number_facts(const TextTable& table, std::size_t column) {
  NumberFacts facts;
  double before = NAN;
  Index steps = 0;
  for (Index r = 0; r < table.rows; ++r) {
    const double value = table.at(r, column);
    if (std::isnan(value)) {
      facts.counts_up = false;
      continue;
    }
    facts.minimum = std::min(facts.minimum, value);
    facts.maximum = std::max(facts.maximum, value);
    if (value != std::floor(value)) facts.whole = false;
    if (r == 0 && value != 0.0 && value != 1.0) facts.counts_up = false;
    if (value == before + 1.0) ++steps;
    before = value;
  }
  facts.counts_up = facts.counts_up && facts.whole && table.rows > 2 && 5 * steps >= 4 * (table.rows - 1);
  return facts;
}

Index distinct_numbers(const TextTable& table, std::size_t column) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(table.rows));
  for (Index r = 0; r < table.rows; ++r) {
    if (const double value = table.at(r, column); !std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

bool named_like_an_identifier(const std::string& name) {
  const std::string word = lower(name);
  for (const char* whole : {"id", "uuid", "guid", "key", "index", "rownames", "row", "no", "nr"}) {
    if (word == whole) return true;
  }
  for (const char* end : {"_id", " id", "-id", ".id", "_key", "_uuid"}) {
    if (word.ends_with(end)) return true;
  }
  return name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID"));
}

class Understanding {
 public:
  Understanding(TextTable& table, const ColumnChoice& choice) : table_(table), choice_(choice) {}

  std::vector<Column> columns() {
    std::vector<Column> result;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) result.push_back(column(c));
    keep_one_input(result);
    Index input = 0;
    for (Column& column : result) {
      if (!column.is_target && column.why.empty()) column.input = input++;
    }
    return result;
  }

 private:
  Column column(std::size_t c) {
    const TextColumn& text = table_.columns[c];
    Column result;
    result.name = column_name(table_, c);
    result.position = static_cast<Index>(c) + 1;
    result.missing = text.missing;
    result.is_target = choice_.has_target && c == choice_.target;
    switch (text.reading) {
      case Reading::number: number(c, result); break;
      case Reading::date: date(c, result); break;
      case Reading::text: texts(c, result); break;
    }
    if (result.is_target) result.why.clear();
    if (!result.is_target && choice_.ignored[c]) result.why = "not wanted";
    return result;
  }

  void number(std::size_t c, Column& result) const {
    result.kind = ColumnKind::number;
    if (result.missing == table_.rows) return leave_out(result, ColumnKind::constant, "no values");
    const NumberFacts facts = number_facts(table_, c);
    if (facts.minimum == facts.maximum && result.missing == 0) {
      result.distinct = 1;
      return leave_out(result, ColumnKind::constant, "constant");
    }
    if (choice_.numeric[c]) return;
    if (facts.whole && facts.minimum == 0.0 && facts.maximum == 1.0) {
      result.kind = ColumnKind::boolean;
      result.levels = {"0", "1"};
      result.distinct = 2;
      return;
    }
    if (result.is_target) return;
    const std::string& name = table_.columns[c].name;
    const bool nameless = table_.dialect.header && (name.empty() || name == "Unnamed: 0");
    if (c == 0 && (nameless || facts.counts_up)) return leave_out(result, ColumnKind::index, "an index");
    if (!facts.whole || table_.rows < least_rows_of_identifiers) return;
    const bool suspect = named_like_an_identifier(name) || facts.minimum >= large_identifier;
    if (!suspect) return;
    result.distinct = distinct_numbers(table_, c);
    const auto values = static_cast<double>(table_.rows - result.missing);
    if (static_cast<double>(result.distinct) >= identifier_share * values) {
      leave_out(result, ColumnKind::identifier, "an identifier");
    }
  }

  void date(std::size_t c, Column& result) const {
    result.kind = ColumnKind::date;
    result.date_order = table_.columns[c].date_order;
    if (result.missing == table_.rows) return leave_out(result, ColumnKind::constant, "no values");
    const NumberFacts facts = number_facts(table_, c);
    if (facts.minimum == facts.maximum && result.missing == 0) leave_out(result, ColumnKind::constant, "constant");
  }

  void texts(std::size_t c, Column& result) {
    const TextColumn& column = table_.columns[c];
    result.kind = ColumnKind::category;
    result.distinct = column.too_many ? 0 : static_cast<Index>(column.texts.size());
    const Index values = table_.rows - result.missing;
    if (values == 0) return leave_out(result, ColumnKind::constant, "no values");
    if (column.too_many) return leave_out(result, ColumnKind::text, "text");
    if (result.distinct == 1 && result.missing == 0 && !result.is_target) {
      return leave_out(result, ColumnKind::constant, "constant");
    }
    if (c == 0 && table_.dialect.header && column.name.empty() && !result.is_target) {
      return leave_out(result, ColumnKind::index, "an index");
    }
    const auto no_yes = boolean_texts(column.texts);
    if (!no_yes[0].empty() && !choice_.categorical[c]) {
      result.kind = ColumnKind::boolean;
      result.levels = {no_yes[0], no_yes[1]};
      const double first = column.texts[0] == no_yes[0] ? 0.0 : 1.0;
      return rewrite(c, {first, 1.0 - first});
    }
    const bool many = column.texts.size() > always_a_category && 2 * result.distinct > values;
    if (many && !choice_.categorical[c] && !result.is_target) {
      const auto blanks = std::count_if(column.texts.begin(), column.texts.end(),
                                        [](const std::string& text) { return text.find(' ') != std::string::npos; });
      const bool words = 2 * blanks > result.distinct;
      const bool unique = static_cast<double>(result.distinct) >= identifier_share * static_cast<double>(values);
      return unique && !words ? leave_out(result, ColumnKind::identifier, "an identifier")
                              : leave_out(result, ColumnKind::text, "text");
    }
    RankedTexts ranked = rank_texts(table_, c);
    result.levels = std::move(ranked.levels);
    rewrite(c, ranked.places);
  }

  void rewrite(std::size_t c, const std::vector<double>& places) {
    for (Index r = 0; r < table_.rows; ++r) {
      double& value = table_.at(r, c);
      if (!std::isnan(value)) value = places[static_cast<std::size_t>(value)];
    }
  }

  static void leave_out(Column& column, ColumnKind kind, const char* why) {
    column.kind = kind;
    column.why = why;
  }

  // A table of two columns whose first counts up is x and y.
  static void keep_one_input(std::vector<Column>& columns) {
    const bool none = std::all_of(columns.begin(), columns.end(),
                                  [](const Column& column) { return column.is_target || !column.why.empty(); });
    if (!none) return;
    for (Column& column : columns) {
      if (column.why != "an index" || column.is_target) continue;
      column.kind = ColumnKind::number;
      column.why.clear();
      return;
    }
  }

  TextTable& table_;
  const ColumnChoice& choice_;
};

}  // namespace

std::vector<Column> understand_columns(TextTable& table, const ColumnChoice& choice) {
  return Understanding(table, choice).columns();
}

RankedTexts rank_texts(const TextTable& table, std::size_t column) {
  const std::vector<std::string>& texts = table.columns[column].texts;
  std::vector<Index> counts(texts.size(), 0);
  for (Index r = 0; r < table.rows; ++r) {
    if (const double value = table.at(r, column); !std::isnan(value)) ++counts[static_cast<std::size_t>(value)];
  }
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : texts[a] < texts[b];
  });
  RankedTexts ranked;
  ranked.places.resize(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranked.levels.push_back(texts[order[i]]);
    ranked.places[order[i]] = static_cast<double>(i);
  }
  return ranked;
}

std::size_t find_column(const std::string& wanted, const TableDialect& dialect, const std::vector<TextColumn>& columns,
                        const std::string& source, const char* what) {
  std::vector<std::string> names;
  for (const TextColumn& column : columns) names.push_back(column.name);
  if (dialect.header) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  std::string_view digits = wanted;
  if (!dialect.header && digits.starts_with("column ")) digits.remove_prefix(7);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (is_number && number >= 1 && number <= columns.size()) return number - 1;
  std::string problem = fmt::format("{}: there is no {} '{}'", source, what, wanted);
  if (!dialect.header) {
    problem += fmt::format("; the table has no header, so give a number from 1 to {}", columns.size());
  } else {
    problem += suggestion(wanted, names);
    const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 20));
    problem +=
        fmt::format(" columns: {}{}", join({names.begin(), names.begin() + shown}), names.size() > 20 ? ", ..." : "");
  }
  throw Error(ErrorKind::usage, problem);
}

ColumnChoice choose_columns(const LoadOptions& options, const TableDialect& dialect,
                            const std::vector<TextColumn>& columns) {
  ColumnChoice choice;
  const auto find = [&](const std::string& wanted, const char* what) {
    return find_column(wanted, dialect, columns, options.source, what);
  };
  choice.target = options.target_column.empty() ? columns.size() - 1 : find(options.target_column, "target column");
  const auto mark = [&](const std::vector<std::string>& wanted, const char* what, bool others) {
    std::vector<bool> marks(columns.size(), others);
    for (const std::string& name : wanted) marks[find(name, what)] = !others;
    return marks;
  };
  const TableOptions& table = options.table;
  choice.ignored = mark(table.ignore, "column to ignore", false);
  choice.categorical = mark(table.categorical, "categorical column", false);
  choice.numeric = mark(table.numeric, "numeric column", false);
  if (!table.only.empty()) {
    const std::vector<bool> others = mark(table.only, "column", true);
    for (std::size_t c = 0; c < columns.size(); ++c) choice.ignored[c] = choice.ignored[c] || others[c];
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (choice.categorical[c] && choice.numeric[c]) {
      throw Error(ErrorKind::usage, fmt::format("column {} is named both as categorical and as numeric", c + 1));
    }
  }
  return choice;
}

}  // namespace priorfit::internal

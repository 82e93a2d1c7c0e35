#include "data/column_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "data/distinct.hpp"
#include "data/numbers.hpp"
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

// For each text 0 or 1; empty when they are no truth values, or all the same. Two texts must belong together, as yes
// and no do; more are spellings of both: Yes, no, NO.
std::vector<double> truth_values(const std::vector<std::string>& texts) {
  static constexpr std::array<std::array<std::string_view, 2>, 5> pairs = {
      {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"}}};
  constexpr std::size_t most_spellings = 24;
  if (texts.size() < 2 || texts.size() > most_spellings) return {};
  std::vector<double> values;
  for (const std::string& text : texts) {
    const std::optional<bool> truth = truth_value(text);
    if (!truth) return {};
    values.push_back(*truth ? 1.0 : 0.0);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return {};
  if (texts.size() > 2) return values;
  const std::string no = lower(texts[values[0] == 0.0 ? 0 : 1]), yes = lower(texts[values[0] == 0.0 ? 1 : 0]);
  const bool together =
      std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair[0] == no && pair[1] == yes; });
  return together ? values : std::vector<double>();
}

struct NumberFacts {
  double minimum = INFINITY, maximum = -INFINITY;
  bool whole = true;

  void add(double value) {
    minimum = std::min(minimum, value);  // NaN changes neither
    maximum = std::max(maximum, value);
    // Without a call of floor() for what a long holds.
    const bool small = std::abs(value) < 1e15;
    if (whole && value != (small ? static_cast<double>(static_cast<long>(value)) : std::floor(value))) {
      whole = std::isnan(value);
    }
  }
  void add(const NumberFacts& other) {
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    whole = whole && other.whole;
  }
};

// Of every column: row by row, as the values lie in memory.
std::vector<NumberFacts> number_facts(const TextTable& table) {
  const std::size_t columns = table.columns.size();
  std::vector<NumberFacts> facts(columns);
#pragma omp parallel
  {
    std::vector<NumberFacts> own(columns);
#pragma omp for schedule(static) nowait
    for (Index r = 0; r < table.rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) own[c].add(table.at(r, c));
    }
#pragma omp critical
    for (std::size_t c = 0; c < columns; ++c) facts[c].add(own[c]);
  }
  return facts;
}

// From 0 or 1, mostly by 1, perhaps beginning again: the number of a row.
bool counts_up(const TextTable& table, std::size_t column) {
  if (table.rows <= 2 || (table.at(0, column) != 0.0 && table.at(0, column) != 1.0)) return false;
  Index steps = 0;
  for (Index r = 1; r < table.rows; ++r) {
    const double value = table.at(r, column);
    if (std::isnan(value) || value != std::floor(value)) return false;
    if (value == table.at(r - 1, column) + 1.0) ++steps;
  }
  return 5 * steps >= 4 * (table.rows - 1);
}

Index distinct_numbers(const TextTable& table, std::size_t column) {
  return distinct_values(&table.at(0, column), table.rows, static_cast<Index>(table.columns.size()));
}

// 0 to n - 1 or 1 to n, each once, in any order.
bool numbers_rows(const TextTable& table, const NumberFacts& facts) {
  constexpr Index fewest = 20;  // of fewer, ranks and other small numbers might do the same
  return table.rows >= fewest && facts.whole && (facts.minimum == 0.0 || facts.minimum == 1.0) &&
         facts.maximum - facts.minimum + 1.0 == static_cast<double>(table.rows) &&
         distinct_numbers(table, 0) == table.rows;
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
  Understanding(TextTable& table, const ColumnChoice& choice)
      : table_(table), choice_(choice), facts_(number_facts(table)) {}

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
    // Its values will be gone when the others are counted.
    if (!result.why.empty() && result.distinct == 0 && text.reading != Reading::text) {
      result.distinct = distinct_numbers(table_, c);
    }
    return result;
  }

  void number(std::size_t c, Column& result) const {
    result.kind = ColumnKind::number;
    result.dressed = table_.columns[c].dressed > 0;
    if (result.missing == table_.rows) return leave_out(result, ColumnKind::constant, "no values");
    const NumberFacts& facts = facts_[c];
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
    if (c == 0 && (nameless || counts_up(table_, c) || numbers_rows(table_, facts)))
      return leave_out(result, ColumnKind::index, "an index");
    if (!facts.whole || table_.rows < least_rows_of_identifiers) return;
    // A large number that has a name is as likely a price or a time.
    const bool nameless_and_large = !table_.dialect.header && facts.minimum >= large_identifier;
    const bool suspect = named_like_an_identifier(name) || nameless_and_large;
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
    const NumberFacts& facts = facts_[c];
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
    const std::vector<double> truth = truth_values(column.texts);
    const bool spellings = column.texts.size() > 2;  // of a target: names of classes, as they are
    if (!truth.empty() && !choice_.categorical[c] && !(result.is_target && spellings)) {
      result.kind = ColumnKind::boolean;
      const auto first_of = [&](double value) {
        return column.texts[static_cast<std::size_t>(std::find(truth.begin(), truth.end(), value) - truth.begin())];
      };
      result.levels = {first_of(0.0), first_of(1.0)};
      return rewrite(c, truth);
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
    table_.columns[c].texts = {};
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
  const std::vector<NumberFacts> facts_;
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
    const std::string guess = suggestion(wanted, names);
    const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 20));
    problem += fmt::format("{} columns: {}{}", guess.empty() ? "; the" : guess + " The",
                           join({names.begin(), names.begin() + shown}), names.size() > 20 ? ", ..." : "");
  }
  throw Error(ErrorKind::usage, problem);
}

ColumnChoice choose_columns(const LoadOptions& options, const TableDialect& dialect,
                            const std::vector<TextColumn>& columns) {
  ColumnChoice choice;
  const auto find = [&](const std::string& wanted, const char* what) {
    return find_column(wanted, dialect, columns, options.source, what);
  };
  // A last separator on every line makes one more column, of nothing.
  std::size_t last = columns.size() - 1;
  while (last > 1 && columns[last].hollow && (columns[last].name.empty() || !dialect.header)) --last;
  choice.target = options.target_column.empty() ? last : find(options.target_column, "target column");
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

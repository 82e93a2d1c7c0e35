#include <fmt/format.h>

#include <algorithm>

#include "data/numbers.hpp"
#include "priorfit/preparation.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

// A text as a Python literal: JSON's strings are such.
std::string literal(const std::string& text) { return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(literal(text));
  return "[" + join(items) + "]";
}

std::string list(const Vector& values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(fmt::format("{}", value));
  return "[" + join(items) + "]";
}

std::string access(const ColumnRecipe& column, bool header) {
  const bool nameless = column.name == fmt::format("column {}", column.position);
  return header && !nameless ? fmt::format("table[{}]", literal(column.name))
                             : fmt::format("table.iloc[:, {}]", column.position - 1);
}

bool in_words(const ColumnRecipe& column) {
  return column.kind == ColumnKind::boolean && column.levels.size() == 2 && column.levels[0] != "0";
}

void add_number(std::string& code, const ColumnRecipe& column, const std::string& source) {
  if (in_words(column)) {
    code += fmt::format("c = {}.astype(str).str.strip().str.lower().map(truth)\n", source);
  } else if (column.dressed) {
    code += fmt::format("c = undressed({})\n", source);
  } else {
    code += fmt::format("c = pd.to_numeric({}, errors=\"coerce\")\n", source);
  }
  code += fmt::format("parts += [c.fillna({}){}]\n", column.fill, column.indicator ? ", c.isna()" : "");
}

// "$1,234.50", "12 %", "(5)"
std::string undressed_lines(char decimal) {
  std::string code =
      "def undressed(c):\n"
      "    c = c.astype(str).str.replace(\"\\u2212\", \"-\").str.replace(r\"^\\((.*)\\)$\", r\"-\\1\", regex=True)\n";
  code += fmt::format("    c = c.str.replace(r\"[$€£¥₹%'’\\s{}]|USD|EUR|GBP|CHF|JPY\", \"\", regex=True)\n",
                      decimal == '.' ? "," : ".");
  if (decimal == ',') code += "    c = c.str.replace(\",\", \".\")\n";
  return code + "    return pd.to_numeric(c, errors=\"coerce\")\n";
}

void add_category(std::string& code, const ColumnRecipe& column, const std::string& source) {
  code += fmt::format("c, levels = {}.astype(str).str.strip(), {}\n", source, list(column.levels));
  code += "parts += [c == level for level in levels]\n";
  const std::string missing = "c.str.lower().isin(missing)";
  if (column.other) code += fmt::format("parts += [~c.isin(levels) & ~{}]\n", missing);
  if (column.missing_level) code += fmt::format("parts += [{}]\n", missing);
}

void add_date(std::string& code, const ColumnRecipe& column, const std::string& source) {
  code +=
      fmt::format("c = pd.to_datetime({}.astype(str).str.replace(r\"\\.0$\", \"\", regex=True), errors=\"coerce\"{})\n",
                  source, column.date_order == DateOrder::day_first ? ", dayfirst=True" : "");
  code += fmt::format("days = ((c - pd.Timestamp(0)) / pd.Timedelta(days=1)).fillna({})\n", column.fill);
  code += "d = pd.Timestamp(0) + pd.to_timedelta(days, unit=\"D\")\n";
  code += fmt::format("parts += [d.dt.year, d.dt.month, d.dt.weekday, days{}]\n", column.indicator ? ", c.isna()" : "");
}

// Shifts and scales of many features would fill pages: they are read from the result instead.
std::string scaling_lines(const Preparation& p, const std::string& file) {
  constexpr Index most_written = 40;
  if (p.preprocess == Preprocess::unit && p.pixel_maximum > 0.0) return fmt::format("X = X / {}\n", p.pixel_maximum);
  if (p.input_shift.size() == 0) return "";
  if (p.input_shift.size() > most_written) {
    return fmt::format("import json\np = json.load(open({}))[\"data\"][\"preparation\"]\n", literal(file)) +
           "X = (X - np.array(p[\"input_shift\"])) / np.array(p[\"input_scale\"])\n";
  }
  return fmt::format("X = (X - np.array({})) / np.array({})\n", list(p.input_shift), list(p.input_scale));
}

bool has_codes(const ColumnRecipe& column) {
  double value = 0;
  return column.kind == ColumnKind::category &&
         std::any_of(column.levels.begin(), column.levels.end(), [&](const std::string& level) {
           return internal::read_plain(level, '.', value) == internal::Numeral::finite;
         });
}

// How pandas reads such a table.
std::string reading_line(const Preparation& p) {
  const TableDialect& d = p.dialect;
  std::string options = d.separator == ' ' ? ", sep=r\"\\s+\"" : d.separator == '\t' ? ", sep=\"\\t\"" : "";
  if (d.separator == ';' || d.separator == '|' || d.separator == ':')
    options = fmt::format(", sep=\"{}\"", d.separator);
  if (d.separator == ',') options = ", skipinitialspace=True";
  if (d.decimal == ',') options += ", decimal=\",\"";
  if (d.quote == '\'') options += ", quotechar=\"'\"";
  if (!p.header) options += ", header=None";
  // Codes such as 00704 would lose their zeros.
  std::vector<std::string> codes;
  for (const ColumnRecipe& column : p.columns) {
    if (!has_codes(column)) continue;
    codes.push_back(fmt::format("{}: str", p.header ? literal(column.name) : std::to_string(column.position - 1)));
  }
  if (!codes.empty()) options += fmt::format(", dtype={{{}}}", join(codes));
  if (!d.missing.empty()) options += fmt::format(", na_values=[{}]", literal(d.missing));
  return fmt::format("# table = pd.read_csv(\"table.csv\"{})\n", options);
}

}  // namespace

std::string paste_preparation(const Preparation& p, const std::string& file) {
  const std::string scaling = scaling_lines(p, file);
  if (!p.from_table) return scaling.empty() ? "" : "import numpy as np\n" + scaling;
  const bool plain = std::all_of(p.columns.begin(), p.columns.end(), [](const ColumnRecipe& column) {
    return column.kind == ColumnKind::number && !column.indicator && !column.dressed;
  });
  std::string code = "import numpy as np\nimport pandas as pd\n" + reading_line(p);
  if (plain) {
    std::vector<std::string> names, places;
    for (const ColumnRecipe& column : p.columns) {
      names.push_back(literal(column.name));
      places.push_back(std::to_string(column.position - 1));
    }
    code += p.header ? fmt::format("X = table[[{}]].to_numpy(float)\n", join(names))
                     : fmt::format("X = table.iloc[:, [{}]].to_numpy(float)\n", join(places));
    return code + scaling;
  }
  code += "parts = []\n";
  const bool marks = std::any_of(p.columns.begin(), p.columns.end(), [](const ColumnRecipe& column) {
    return column.kind == ColumnKind::category && (column.other || column.missing_level);
  });
  if (marks)
    code += "missing = [\"\", \"?\", \"na\", \"n/a\", \"nan\", \"null\", \"none\", \"<na>\", \"-\", \"--\", \".\"]\n";
  if (std::any_of(p.columns.begin(), p.columns.end(), in_words)) {
    code += "truth = dict(zip(\"false no f n off 0 true yes t y on 1\".split(), [0] * 6 + [1] * 6))\n";
  }
  if (std::any_of(p.columns.begin(), p.columns.end(), [](const ColumnRecipe& column) { return column.dressed; })) {
    code += undressed_lines(p.dialect.decimal);
  }
  for (const ColumnRecipe& column : p.columns) {
    const std::string source = access(column, p.header);
    switch (column.kind) {
      case ColumnKind::category: add_category(code, column, source); break;
      case ColumnKind::date: add_date(code, column, source); break;
      default: add_number(code, column, source);
    }
  }
  return code + "X = np.column_stack(parts).astype(float)\n" + scaling;
}

}  // namespace priorfit

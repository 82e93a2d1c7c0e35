#include <fmt/format.h>

#include <algorithm>

#include "priorfit/preparation.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace priorfit {
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
  return header ? fmt::format("table[{}]", literal(column.name))
                : fmt::format("table.iloc[:, {}]", column.position - 1);
}

void add_number(std::string& code, const ColumnRecipe& column, const std::string& source) {
  const bool words = column.kind == ColumnKind::boolean && column.levels.size() == 2 && column.levels[0] != "0";
  if (words) {
    code += fmt::format("c = {}.astype(str).str.strip().map({{{}: 0, {}: 1}})\n", source, literal(column.levels[0]),
                        literal(column.levels[1]));
  } else {
    code += fmt::format("c = pd.to_numeric({}, errors=\"coerce\")\n", source);
  }
  code += fmt::format("parts += [c.fillna({}){}]\n", column.fill, column.indicator ? ", c.isna()" : "");
}

void add_category(std::string& code, const ColumnRecipe& column, const std::string& source) {
  code += fmt::format("c, levels = {}.astype(str).str.strip(), {}\n", source, list(column.levels));
  code += "parts += [c == level for level in levels]\n";
  const std::string missing = "c.str.lower().isin(missing)";
  if (column.other) code += fmt::format("parts += [~c.isin(levels) & ~{}]\n", missing);
  if (column.missing_level) code += fmt::format("parts += [{}]\n", missing);
}

void add_date(std::string& code, const ColumnRecipe& column, const std::string& source) {
  code += fmt::format("c = pd.to_datetime({}, errors=\"coerce\"{})\n", source,
                      column.date_order == DateOrder::day_first ? ", dayfirst=True" : "");
  code += fmt::format("days = ((c - pd.Timestamp(0)) / pd.Timedelta(days=1)).fillna({})\n", column.fill);
  code += "d = pd.Timestamp(0) + pd.to_timedelta(days, unit=\"D\")\n";
  code += fmt::format("parts += [d.dt.year, d.dt.month, d.dt.weekday, days{}]\n", column.indicator ? ", c.isna()" : "");
}

// Shifts and scales of many features would fill pages: they are read from the result instead.
std::string scaling_lines(const Preparation& p) {
  constexpr Index most_written = 40;
  if (p.preprocess == Preprocess::unit && p.pixel_maximum > 0.0) return fmt::format("X = X / {}\n", p.pixel_maximum);
  if (p.input_shift.size() == 0) return "";
  if (p.input_shift.size() > most_written) {
    return "import json\n"
           "p = json.load(open(\"recommendation.json\"))[\"data\"][\"preparation\"]\n"
           "X = (X - np.array(p[\"input_shift\"])) / np.array(p[\"input_scale\"])\n";
  }
  return fmt::format("X = (X - np.array({})) / np.array({})\n", list(p.input_shift), list(p.input_scale));
}

}  // namespace

std::string paste_preparation(const Preparation& p) {
  const std::string scaling = scaling_lines(p);
  if (!p.from_table) return scaling.empty() ? "" : "import numpy as np\n" + scaling;
  const bool plain = std::all_of(p.columns.begin(), p.columns.end(), [](const ColumnRecipe& column) {
    return column.kind == ColumnKind::number && !column.indicator;
  });
  std::string code = "import numpy as np\nimport pandas as pd\n";
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
  if (marks) code += "missing = [\"\", \"?\", \"na\", \"n/a\", \"nan\", \"null\", \"none\", \"<na>\", \"-\", \".\"]\n";
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

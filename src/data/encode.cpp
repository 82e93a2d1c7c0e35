#include "data/encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "arrays/matrix_memory.hpp"
#include "data/dates.hpp"
#include "priorfit/error.hpp"
#include "support/statistics.hpp"
#include "support/text_hash.hpp"

namespace priorfit {

Index ColumnRecipe::features() const {
  switch (kind) {
    case ColumnKind::category: return static_cast<Index>(levels.size()) + (other ? 1 : 0) + (missing_level ? 1 : 0);
    case ColumnKind::date: return 4 + (indicator ? 1 : 0);
    default: return 1 + (indicator ? 1 : 0);
  }
}

std::vector<std::string> ColumnRecipe::feature_names() const {
  std::vector<std::string> names;
  if (kind == ColumnKind::category) {
    for (const std::string& level : levels) names.push_back(fmt::format("{}={}", name, level));
    if (other) names.push_back(name + "=(other)");
    if (missing_level) names.push_back(name + "=(missing)");
    return names;
  }
  if (kind == ColumnKind::date) {
    for (const char* part : {"year", "month", "weekday", "days"}) names.push_back(fmt::format("{} {}", name, part));
  } else {
    names.push_back(name);
  }
  if (indicator) names.push_back(name + " (missing)");
  return names;
}

std::vector<std::string> Preparation::feature_names() const {
  std::vector<std::string> names;
  for (const ColumnRecipe& column : columns) {
    for (std::string& name : column.feature_names()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace priorfit

namespace priorfit::internal {
namespace {

constexpr Index rarest_rows = 10;    // a level with as many rows is never rare
constexpr double rare_share = 0.01;  // nor one with this share of them

void fit_number(ColumnRecipe& recipe, const Matrix& inputs, Index column, MissingRule rule, bool all_fills) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(inputs.rows()));
  double sum = 0.0;
  for (Index r = 0; r < inputs.rows(); ++r) {
    const double value = inputs(r, column);
    if (std::isnan(value)) continue;
    values.push_back(value);
    sum += value / static_cast<double>(inputs.rows());
  }
  recipe.indicator = static_cast<Index>(values.size()) < inputs.rows();
  if (values.empty() || (!recipe.indicator && !all_fills)) return;
  const double share = static_cast<double>(values.size()) / static_cast<double>(inputs.rows());
  recipe.fill = rule == MissingRule::mean ? sum / share : median(std::move(values));
  // A boolean stays one.
  if (recipe.kind == ColumnKind::boolean && rule != MissingRule::mean) recipe.fill = recipe.fill >= 0.5 ? 1.0 : 0.0;
}

void fit_levels(ColumnRecipe& recipe, const Column& column, const Matrix& inputs, Index place) {
  std::vector<Index> counts(column.levels.size(), 0);
  Index missing = 0;
  for (Index r = 0; r < inputs.rows(); ++r) {
    const double value = inputs(r, place);
    if (std::isnan(value)) {
      ++missing;
    } else if (value < static_cast<double>(counts.size())) {
      ++counts[static_cast<std::size_t>(value)];
    }
  }
  recipe.missing_level = missing > 0;
  std::vector<std::size_t> order;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > 0) order.push_back(level);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  const double enough = std::min<double>(rarest_rows, std::max(2.0, rare_share * static_cast<double>(inputs.rows())));
  std::size_t kept = 0;
  while (kept < order.size() && kept < most_levels && static_cast<double>(counts[order[kept]]) >= enough) ++kept;
  // A single rare level keeps its name, and of nothing but rare ones the most frequent do.
  if (kept + 1 >= order.size()) kept = std::min(order.size(), most_levels + 1);
  if (kept == 0) kept = std::min(order.size(), most_levels);
  recipe.other = kept < order.size();
  for (std::size_t i = 0; i < kept; ++i) recipe.levels.push_back(column.levels[order[i]]);
}

// For each level of the rows at hand, its feature among those of the recipe; -1: none.
std::vector<Index> level_features(const Column& column, const ColumnRecipe& recipe, std::vector<bool>& known) {
  std::unordered_map<std::string_view, Index, TextHash> places;
  for (std::size_t i = 0; i < recipe.levels.size(); ++i) places.emplace(recipe.levels[i], static_cast<Index>(i));
  const Index other = recipe.other ? static_cast<Index>(recipe.levels.size()) : -1;
  std::vector<Index> features;
  for (const std::string& level : column.levels) {
    const auto found = places.find(level);
    known.push_back(found != places.end());
    features.push_back(found != places.end() ? found->second : other);
  }
  return features;
}

class Expansion {
 public:
  Expansion(const Matrix& inputs, Matrix& features) : inputs_(inputs), features_(features) {}

  void number(Index column, const ColumnRecipe& recipe, Index first) {
    for (Index r = 0; r < inputs_.rows(); ++r) {
      const double value = inputs_(r, column);
      const bool missing = std::isnan(value);
      if (missing && !recipe.indicator) ++surprises.missing;
      features_(r, first) = missing ? recipe.fill : value;
      if (recipe.indicator) features_(r, first + 1) = missing ? 1.0 : 0.0;
    }
  }

  void date(Index column, const ColumnRecipe& recipe, Index first) {
    for (Index r = 0; r < inputs_.rows(); ++r) {
      const double value = inputs_(r, column);
      const bool missing = std::isnan(value);
      if (missing && !recipe.indicator) ++surprises.missing;
      const double days = missing ? recipe.fill : value;
      const CalendarDay day = calendar_day(days);
      features_.row(r).segment(first, 4) << day.year, day.month, day.weekday, days;
      if (recipe.indicator) features_(r, first + 4) = missing ? 1.0 : 0.0;
    }
  }

  void category(Index column, const Column& source, const ColumnRecipe& recipe, Index first) {
    std::vector<bool> known;
    const std::vector<Index> features = level_features(source, recipe, known);
    const Index missing = recipe.missing_level ? recipe.features() - 1 : -1;
    for (Index r = 0; r < inputs_.rows(); ++r) {
      const double value = inputs_(r, column);
      features_.row(r).segment(first, recipe.features()).setZero();
      Index feature = missing;
      if (std::isnan(value)) {
        if (!recipe.missing_level) ++surprises.missing;
      } else if (const auto level = static_cast<std::size_t>(value); level < features.size()) {
        feature = features[level];
        if (!known[level] && !recipe.other) ++surprises.unseen;
      } else {
        feature = recipe.other ? static_cast<Index>(recipe.levels.size()) : -1;
        ++surprises.unseen;
      }
      if (feature >= 0) features_(r, first + feature) = 1.0;
    }
  }

  Surprises surprises;

 private:
  const Matrix& inputs_;
  Matrix& features_;
};

}  // namespace

std::vector<const Column*> used_columns(const std::vector<Column>& columns) {
  std::vector<const Column*> used;
  for (const Column& column : columns) {
    if (column.input >= 0) used.push_back(&column);
  }
  return used;
}

std::vector<ColumnRecipe> fit_columns(const Dataset& dataset, bool all_fills) {
  const std::vector<const Column*> used = used_columns(dataset.columns);
  std::vector<ColumnRecipe> recipes(used.size());
  const auto count = static_cast<Index>(used.size());
#pragma omp parallel for schedule(dynamic)
  for (Index i = 0; i < count; ++i) {
    const Column& column = *used[static_cast<std::size_t>(i)];
    ColumnRecipe& recipe = recipes[static_cast<std::size_t>(i)];
    recipe.name = column.name;
    recipe.position = column.position;
    recipe.kind = column.kind;
    recipe.date_order = column.date_order;
    recipe.dressed = column.dressed;
    if (column.kind == ColumnKind::category) {
      fit_levels(recipe, column, dataset.train.inputs, i);
    } else {
      recipe.levels = column.levels;
      fit_number(recipe, dataset.train.inputs, i, dataset.missing, all_fills);
    }
  }
  return recipes;
}

Surprises expand(Matrix& inputs, const std::vector<const Column*>& used, const std::vector<ColumnRecipe>& recipes,
                 const std::string& name) {
  Index total = 0;
  bool plain = true;
  for (const ColumnRecipe& recipe : recipes) {
    total += recipe.features();
    plain = plain && recipe.features() == 1 && recipe.kind != ColumnKind::category;
  }
  if (plain) {
    Surprises surprises;
    for (Index r = 0; r < inputs.rows(); ++r) {
      if (!inputs.row(r).hasNaN()) continue;
      for (Index c = 0; c < inputs.cols(); ++c) {
        if (!std::isnan(inputs(r, c))) continue;
        inputs(r, c) = recipes[static_cast<std::size_t>(c)].fill;
        ++surprises.missing;
      }
    }
    return surprises;
  }
  check_matrix_fits(inputs.rows(), total, name);
  Matrix features(inputs.rows(), total);
  Expansion expansion(inputs, features);
  Index first = 0;
  for (std::size_t c = 0; c < recipes.size(); ++c) {
    const auto column = static_cast<Index>(c);
    switch (recipes[c].kind) {
      case ColumnKind::category: expansion.category(column, *used[c], recipes[c], first); break;
      case ColumnKind::date: expansion.date(column, recipes[c], first); break;
      default: expansion.number(column, recipes[c], first);
    }
    first += recipes[c].features();
  }
  inputs = std::move(features);
  return expansion.surprises;
}

}  // namespace priorfit::internal

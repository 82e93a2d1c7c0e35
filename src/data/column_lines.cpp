#include "data/column_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/distinct.hpp"
#include "support/loop_error.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t most_levels_named = 20;

std::string becomes(const ColumnRecipe& recipe) {
  const auto extra = [&] {
    return recipe.indicator ? fmt::format(", {:g} and an indicator where missing", recipe.fill) : "";
  };
  switch (recipe.kind) {
    case ColumnKind::category: {
      std::string text =
          fmt::format("{} feature{}, one per level", recipe.features(), recipe.features() == 1 ? "" : "s");
      if (recipe.other) text += ", rare ones together";
      if (recipe.missing_level) text += ", a level for missing ones";
      return text;
    }
    case ColumnKind::date: return "year, month, weekday, days" + extra();
    case ColumnKind::boolean: return "0/1" + extra();
    default: return "as it is" + extra();
  }
}

std::vector<Index> distinct_inputs(const Matrix& inputs) {
  std::vector<Index> counts(static_cast<std::size_t>(inputs.cols()));
  LoopError error;
#pragma omp parallel for schedule(dynamic)
  for (Index c = 0; c < inputs.cols(); ++c) {
    error.guard([&] {
      counts[static_cast<std::size_t>(c)] = distinct_values(inputs.data() + c, inputs.rows(), inputs.cols());
    });
  }
  error.rethrow();
  return counts;
}

Index distinct_targets(const Dataset& dataset) {
  if (dataset.task == Task::classification) return static_cast<Index>(dataset.output_names.size());
  return distinct_values(dataset.train.targets.data(), dataset.train.targets.rows(), 1);
}

}  // namespace

std::vector<ColumnLine> column_lines(const Dataset& dataset, const std::vector<ColumnRecipe>& recipes) {
  const std::vector<Index> distinct = distinct_inputs(dataset.train.inputs);
  std::vector<ColumnLine> lines;
  for (const Column& column : dataset.columns) {
    ColumnLine line{column.name, column.kind, column.missing, column.distinct, column.levels, ""};
    line.levels.resize(std::min(line.levels.size(), most_levels_named));
    if (column.is_target) {
      line.becomes = "target";
      line.distinct = distinct_targets(dataset);
    } else if (column.input < 0) {
      line.becomes = "left out: " + column.why;
    } else {
      line.becomes = becomes(recipes[static_cast<std::size_t>(column.input)]);
      line.distinct = distinct[static_cast<std::size_t>(column.input)];
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace priorfit::internal

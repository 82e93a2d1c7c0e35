#include <algorithm>

#include "data/column_lines.hpp"
#include "data/columns.hpp"
#include "data/encode.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit {
using namespace internal;

DatasetDescription describe(const Dataset& dataset) {
  const Samples& train = dataset.train;
  DatasetDescription result;
  result.name = dataset.name;
  result.task = dataset.task;
  result.rows = train.size();
  result.test_rows = dataset.test.size();
  result.features = train.inputs.cols();
  result.pixel_maximum = dataset.pixel_maximum;
  result.notes = dataset.notes;
  if (dataset.dialect) result.dialect = to_text(*dataset.dialect);
  if (train.inputs.size() == 0) return result;

  // Of a table: of its features, with what is missing filled.
  Matrix features;
  if (!dataset.columns.empty()) {
    const std::vector<ColumnRecipe> recipes = internal::fit_columns(dataset, false);
    result.columns = internal::column_lines(dataset, recipes);
    const bool as_they_are = std::all_of(recipes.begin(), recipes.end(), [](const ColumnRecipe& recipe) {
      return recipe.features() == 1 && recipe.kind != ColumnKind::category;
    });
    if (!as_they_are) {
      features = train.inputs;
      internal::expand(features, internal::used_columns(dataset.columns), recipes, dataset.name);
    }
  }
  const ColumnStatistics inputs = column_statistics(features.size() == 0 ? train.inputs : features);
  result.features = features.size() == 0 ? train.inputs.cols() : features.cols();
  result.constant_features = inputs.constant_columns();
  result.input_minimum = inputs.minimum.minCoeff();
  result.input_maximum = inputs.maximum.maxCoeff();
  result.nonzero_fraction =
      static_cast<double>(inputs.nonzeros) / (static_cast<double>(train.size()) * static_cast<double>(result.features));

  for (const std::string& name : dataset.output_names) result.outputs.push_back({.name = name});
  if (dataset.task == Task::classification) {
    for (const int label : train.labels) ++result.outputs[static_cast<std::size_t>(label)].count;
    return result;
  }
  const ColumnStatistics targets = column_statistics(train.targets);
  for (std::size_t o = 0; o < result.outputs.size(); ++o) {
    const auto column = static_cast<Index>(o);
    result.outputs[o].minimum = targets.minimum[column];
    result.outputs[o].maximum = targets.maximum[column];
    result.outputs[o].mean = targets.mean[column];
    result.outputs[o].standard_deviation = targets.standard_deviation[column];
  }
  return result;
}

}  // namespace priorfit

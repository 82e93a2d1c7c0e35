#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/columns.hpp"
#include "data/encode.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit {
namespace {

Index distinct_values(const Matrix& inputs, Index column) {
  std::vector<double> values;
  for (Index r = 0; r < inputs.rows(); ++r) {
    if (!std::isnan(inputs(r, column))) values.push_back(inputs(r, column));
  }
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

std::string becomes(const ColumnRecipe& recipe) {
  const auto extra = [&] {
    return recipe.indicator ? fmt::format(", {:g} and an indicator where missing", recipe.fill) : "";
  };
  switch (recipe.kind) {
    case ColumnKind::category: {
      std::string text = fmt::format("{} features, one per level", recipe.features());
      if (recipe.other) text += ", rare ones together";
      if (recipe.missing_level) text += ", missing a level";
      return text;
    }
    case ColumnKind::date: return "year, month, weekday, days" + extra();
    case ColumnKind::boolean: return "0/1" + extra();
    default: return "as it is" + extra();
  }
}

void describe_columns(const Dataset& dataset, DatasetDescription& result) {
  if (dataset.columns.empty()) return;
  const std::vector<ColumnRecipe> recipes = internal::fit_columns(dataset);
  for (const Column& column : dataset.columns) {
    DatasetDescription::ColumnLine line{column, column.is_target ? "target" : "left out: " + column.why};
    if (column.input >= 0) {
      if (column.distinct == 0) line.column.distinct = distinct_values(dataset.train.inputs, column.input);
      line.becomes = becomes(recipes[static_cast<std::size_t>(column.input)]);
    }
    if (column.is_target && dataset.task == Task::classification) {
      line.column.distinct = static_cast<Index>(dataset.output_names.size());
    }
    line.column.levels.resize(std::min<std::size_t>(line.column.levels.size(), 100));
    result.columns.push_back(std::move(line));
  }
}

}  // namespace

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
  describe_columns(dataset, result);

  // Of a table: of its features, with what is missing filled.
  Matrix features;
  if (!dataset.columns.empty()) {
    features = train.inputs;
    internal::expand(features, internal::used_columns(dataset.columns), internal::fit_columns(dataset), dataset.name);
    result.features = features.cols();
  }
  const ColumnStatistics inputs = column_statistics(dataset.columns.empty() ? train.inputs : features);
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

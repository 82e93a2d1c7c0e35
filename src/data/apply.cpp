#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/encode.hpp"
#include "data/load_table.hpp"
#include "data/scaling.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

using internal::Scaling;

// The used columns of a recipe as a table shape. Levels that the recipe does not name get a place behind them.
internal::TableShape shape_of(const Preparation& p) {
  internal::TableShape shape;
  shape.header = p.header;
  shape.dialect = p.dialect;
  shape.target_is_date = p.target_is_date;
  shape.task = p.task;
  shape.target = p.target;
  shape.target_position = p.target_position;
  if (p.task == Task::classification) shape.classes = p.outputs;
  for (std::size_t i = 0; i < p.columns.size(); ++i) {
    const ColumnRecipe& recipe = p.columns[i];
    Column column;
    column.name = recipe.name;
    column.kind = recipe.kind;
    column.position = recipe.position;
    column.levels = recipe.levels;
    column.date_order = recipe.date_order;
    column.input = static_cast<Index>(i);
    shape.columns.push_back(std::move(column));
  }
  return shape;
}

void check_features(const Preparation& p, const Dataset& dataset) {
  if (p.input_shift.size() == 0 || p.input_shift.size() == dataset.train.inputs.cols()) return;
  throw Error(ErrorKind::data, fmt::format("{} has {} features; the recipe was fitted to {}", dataset.name,
                                           dataset.train.inputs.cols(), p.input_shift.size()));
}

Dataset read_rows(const Preparation& p, LoadOptions options, PreparedRows& rows) {
  options.task = p.task;
  options.pictures = p.pictures;
  if (!p.from_table) return load_dataset(options);
  const internal::TableShape shape = shape_of(p);
  Dataset dataset = internal::load_table_like(shape, options);
  const internal::Surprises surprises =
      internal::expand(dataset.train.inputs, internal::used_columns(dataset.columns), p.columns, dataset.name);
  if (surprises.unseen > 0) {
    dataset.notes.push_back(fmt::format(
        "{} that the recipe does not know",
        surprises.unseen == 1 ? "1 value is of a level" : fmt::format("{} values are of levels", surprises.unseen)));
  }
  if (surprises.missing > 0) {
    dataset.notes.push_back(
        fmt::format("{} missing where none was before: filled",
                    surprises.missing == 1 ? "1 value is" : fmt::format("{} values are", surprises.missing)));
  }
  rows.features = p.feature_names();
  return dataset;
}

}  // namespace

PreparedRows apply(const Preparation& p, const LoadOptions& options) {
  PreparedRows rows;
  Dataset dataset = read_rows(p, options, rows);
  check_features(p, dataset);
  rows.inputs = std::move(dataset.train.inputs);
  if (p.input_shift.size() > 0) {
    Scaling{p.input_shift, p.input_scale}.apply(rows.inputs);
  } else if (p.preprocess == Preprocess::unit && p.pixel_maximum > 0.0) {
    rows.inputs /= p.pixel_maximum;
  }
  rows.notes = std::move(dataset.notes);
  if (p.task == Task::regression) {
    rows.targets = std::move(dataset.train.targets);
    if (rows.targets.rows() > 0 && p.target_shift.size() == rows.targets.cols()) {
      Scaling{p.target_shift, p.target_scale}.apply(rows.targets);
    }
    return rows;
  }
  // By name: the classes of a small file may be fewer.
  std::vector<int> places;
  for (const std::string& name : dataset.output_names) {
    const auto found = std::find(p.outputs.begin(), p.outputs.end(), name);
    places.push_back(found == p.outputs.end() ? -1 : static_cast<int>(found - p.outputs.begin()));
  }
  Index unknown = 0;
  for (const int label : dataset.train.labels) {
    const int place =
        label >= 0 && label < static_cast<int>(places.size()) ? places[static_cast<std::size_t>(label)] : -1;
    rows.labels.push_back(place);
    if (place < 0) ++unknown;
  }
  if (unknown > 0)
    rows.notes.push_back(fmt::format("{} no class that the recipe knows: label -1",
                                     unknown == 1 ? "1 row has" : fmt::format("{} rows have", unknown)));
  return rows;
}

}  // namespace priorfit

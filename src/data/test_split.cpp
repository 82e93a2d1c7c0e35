#include <fmt/format.h>

#include <algorithm>

#include "data/encode.hpp"
#include "data/load_table.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

// For each class of `test`, its place among the classes of `dataset`.
std::vector<int> matched_classes(const Dataset& dataset, const Dataset& test) {
  std::vector<int> places;
  for (const std::string& name : test.output_names) {
    const auto found = std::find(dataset.output_names.begin(), dataset.output_names.end(), name);
    if (found == dataset.output_names.end()) {
      throw Error(ErrorKind::data, fmt::format("{} has class '{}', which the training rows do not have ({})", test.name,
                                               name, join(dataset.output_names)));
    }
    places.push_back(static_cast<int>(found - dataset.output_names.begin()));
  }
  return places;
}

// Codes mean the same in both only when both were read the same way.
void check_columns(const Dataset& dataset, const Dataset& test) {
  const auto used = internal::used_columns(dataset.columns), others = internal::used_columns(test.columns);
  const bool same = used.size() == others.size() &&
                    std::equal(used.begin(), used.end(), others.begin(), [](const Column* a, const Column* b) {
                      return a->kind == b->kind && (a->kind != ColumnKind::category || a->levels == b->levels);
                    });
  if (!same) {
    throw Error(ErrorKind::data, fmt::format("{} was not read like {}: its columns hold other kinds of values or other "
                                             "levels; read it with load_like()",
                                             test.name, dataset.name));
  }
}

}  // namespace

Dataset load_like(const Dataset& training, const LoadOptions& options) {
  LoadOptions like = options;
  like.task = training.task;
  like.pictures = training.pictures;
  if (!training.is_table || training.columns.empty()) {
    Dataset dataset = load_dataset(like);
    dataset.notes.clear();  // how it was read is known from the training rows
    return dataset;
  }
  internal::TableShape shape;
  shape.header = training.dialect && training.dialect->header;
  shape.dialect = training.dialect.value_or(TableDialect());
  shape.task = training.task;
  shape.target = training.target_name;
  for (const Column& column : training.columns) {
    if (column.input >= 0) shape.columns.push_back(column);
    if (!column.is_target) continue;
    shape.target_position = column.position;
    shape.target_is_date = column.kind == ColumnKind::date && training.task == Task::regression;
  }
  if (training.task == Task::classification) shape.classes = training.output_names;
  Dataset dataset = internal::load_table_like(shape, like);
  const bool regression = training.task == Task::regression;
  if (regression ? dataset.train.targets.rows() == 0 : dataset.train.labels.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: the target '{}' is not there", dataset.name, training.target_name));
  }
  internal::drop_unusable(dataset);
  return dataset;
}

void use_as_test(Dataset& dataset, const Dataset& test) {
  if (dataset.test.size() > 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has a test split of its own: no test file can be given for it", dataset.name));
  }
  if (test.task != dataset.task) {
    throw Error(ErrorKind::data, fmt::format("{} is for {}, {} for {}: choose one task for both", dataset.name,
                                             to_string(dataset.task), test.name, to_string(test.task)));
  }
  if (test.train.inputs.cols() != dataset.train.inputs.cols()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} features, {} has {}", test.name, test.train.inputs.cols(),
                                             dataset.name, dataset.train.inputs.cols()));
  }
  for (std::size_t i = 0; i < std::min(test.feature_names.size(), dataset.feature_names.size()); ++i) {
    if (test.feature_names[i] != dataset.feature_names[i]) {
      throw Error(ErrorKind::data, fmt::format("feature {} is '{}' in {} and '{}' in {}", i + 1, test.feature_names[i],
                                               test.name, dataset.feature_names[i], dataset.name));
    }
  }
  check_columns(dataset, test);
  dataset.test = test.train;
  dataset.notes.insert(dataset.notes.end(), test.notes.begin(), test.notes.end());
  if (dataset.task == Task::classification) {
    const std::vector<int> places = matched_classes(dataset, test);
    for (int& label : dataset.test.labels) label = places[static_cast<std::size_t>(label)];
    dataset.test.targets.resize(0, 0);  // prepare() encodes them
  } else if (test.train.targets.cols() != dataset.train.targets.cols()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} targets, {} has {}", test.name, test.train.targets.cols(),
                                             dataset.name, dataset.train.targets.cols()));
  }
}

}  // namespace priorfit

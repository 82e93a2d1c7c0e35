#include <fmt/format.h>

#include <algorithm>

#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
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

}  // namespace

void use_as_test(Dataset& dataset, const Dataset& test) {
  if (dataset.test.size() > 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has a test split of its own: no test file can be given for it", dataset.name));
  }
  if (test.task != dataset.task) {
    throw Error(ErrorKind::data, fmt::format("{} is for {}, {} for {}: choose one with --task", dataset.name,
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
  dataset.test = test.train;
  if (dataset.task == Task::classification) {
    const std::vector<int> places = matched_classes(dataset, test);
    for (int& label : dataset.test.labels) label = places[static_cast<std::size_t>(label)];
    dataset.test.targets = encode_labels(dataset.test.labels, dataset.train.targets.cols());
  } else if (test.train.targets.cols() != dataset.train.targets.cols()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} targets, {} has {}", test.name, test.train.targets.cols(),
                                             dataset.name, dataset.train.targets.cols()));
  }
}

}  // namespace priorfit

#include "data/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr std::size_t most_detected_classes = 20;
constexpr Index least_rows_per_class = 5;

template <typename T>
void make_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <typename T, typename Range>
std::vector<int> labels_of(const Range& values, const std::vector<T>& classes) {
  std::vector<int> labels;
  labels.reserve(static_cast<std::size_t>(values.size()));
  for (const auto& value : values) {
    labels.push_back(static_cast<int>(std::lower_bound(classes.begin(), classes.end(), value) - classes.begin()));
  }
  return labels;
}

// The encoded targets are rows × classes, so a column of identifiers must not pass for one of classes.
void check_class_count(const Dataset& dataset, const std::string& name, std::size_t classes, std::size_t rows) {
  if (classes > most_detected_classes && 2 * classes > rows) {
    throw Error(ErrorKind::data,
                fmt::format("{}: target '{}' has {} distinct values in {} rows, so it does not hold classes; choose "
                            "another with --target, or --task regression if it is a number",
                            dataset.name, name, classes, rows));
  }
}

std::vector<double> distinct_values(const Matrix& train, const Matrix& test) {
  std::vector<double> values(train.data(), train.data() + train.size());
  values.insert(values.end(), test.data(), test.data() + test.size());
  make_distinct(values);
  return values;
}

bool looks_like_classes(const std::vector<double>& distinct, Index rows) {
  const bool integers = std::all_of(distinct.begin(), distinct.end(), [](double v) { return v == std::nearbyint(v); });
  return integers && distinct.size() <= most_detected_classes &&
         rows >= least_rows_per_class * static_cast<Index>(distinct.size());
}

void set_regression(Dataset& dataset, Matrix train, Matrix test, const std::string& name) {
  dataset.task = Task::regression;
  for (Index c = 0; c < train.cols(); ++c) {
    dataset.output_names.push_back(train.cols() == 1 ? name : fmt::format("{}[{}]", name, c));
  }
  dataset.train.targets = std::move(train);
  dataset.test.targets = std::move(test);
}

}  // namespace

void set_numeric_targets(Dataset& dataset, Matrix train, Matrix test, const std::string& name,
                         std::optional<Task> task) {
  if (train.cols() > 1) {
    if (task == Task::classification) {
      throw Error(ErrorKind::usage, fmt::format("{}: classification needs one column of labels; '{}' has {} columns",
                                                dataset.name, name, train.cols()));
    }
    dataset.notes.push_back(
        fmt::format("target '{}' has {} columns: regression of {} outputs", name, train.cols(), train.cols()));
    return set_regression(dataset, std::move(train), std::move(test), name);
  }

  const std::vector<double> classes = distinct_values(train, test);
  const bool detected = looks_like_classes(classes, train.rows());
  if (!task) {
    dataset.notes.push_back(
        detected
            ? fmt::format("target '{}' has {} distinct integer values: classification (--task regression to change)",
                          name, classes.size())
            : fmt::format("target '{}' has {} distinct values: regression (--task classification to change)", name,
                          classes.size()));
  }
  if (task.value_or(detected ? Task::classification : Task::regression) == Task::regression) {
    return set_regression(dataset, std::move(train), std::move(test), name);
  }
  check_class_count(dataset, name, classes.size(), static_cast<std::size_t>(train.rows() + test.rows()));
  std::vector<std::string> names;
  for (const double value : classes) names.push_back(fmt::format("{}", value));
  set_class_targets(dataset, labels_of(train.reshaped<Eigen::RowMajor>(), classes),
                    labels_of(test.reshaped<Eigen::RowMajor>(), classes), std::move(names));
}

void set_text_targets(Dataset& dataset, const std::vector<std::string>& train, const std::string& name) {
  std::vector<std::string> classes = train;
  make_distinct(classes);
  check_class_count(dataset, name, classes.size(), train.size());
  dataset.notes.push_back(fmt::format("target '{}' has {} distinct names: classification", name, classes.size()));
  set_class_targets(dataset, labels_of(train, classes), {}, classes);
}

void set_class_targets(Dataset& dataset, std::vector<int> train, std::vector<int> test,
                       std::vector<std::string> class_names) {
  const auto classes = static_cast<Index>(class_names.size());
  dataset.task = Task::classification;
  dataset.output_names = std::move(class_names);
  dataset.train.targets = encode_labels(train, classes);
  dataset.test.targets = encode_labels(test, classes);
  dataset.train.labels = std::move(train);
  dataset.test.labels = std::move(test);
}

}  // namespace priorfit

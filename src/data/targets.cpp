#include "data/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t few_classes = 20;             // taken for classes whatever lies between them
constexpr std::size_t most_dense_classes = 100;     // that fill a range
constexpr std::size_t most_integer_classes = 1000;  // likewise, where the type says whole numbers
constexpr std::size_t least_rows_per_class = 5;
constexpr std::size_t fewest_counts = 10;  // distinct values, above which numbers may be counts

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

// A column of identifiers must not pass for one of classes.
void check_class_count(const Dataset& dataset, const std::string& name, std::size_t classes, std::size_t rows) {
  if (classes > few_classes && 2 * classes > rows) {
    throw Error(ErrorKind::data,
                fmt::format("{}: target '{}' has {} distinct values in {} rows, so it does not hold classes; choose "
                            "another target, or regression if it is a number",
                            dataset.name, name, classes, rows));
  }
}

std::vector<double> distinct_values(const Matrix& train, const Matrix& test) {
  std::vector<double> values(train.data(), train.data() + train.size());
  values.insert(values.end(), test.data(), test.data() + test.size());
  make_distinct(values);
  return values;
}

struct Frequencies {
  std::vector<double> values;  // distinct, ascending
  std::vector<Index> rows;     // of each
};

// Of whole numbers.
Frequencies frequencies(const std::vector<double>& values) {
  std::map<double, Index> counts;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  constexpr double narrow = 1e6;
  if (values.empty() || *most - *least > narrow) {
    for (const double value : values) ++counts[value];
  } else {
    std::vector<Index> rows(static_cast<std::size_t>(*most - *least) + 1, 0);
    for (const double value : values) ++rows[static_cast<std::size_t>(value - *least)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] > 0) counts.emplace_hint(counts.end(), *least + static_cast<double>(i), rows[i]);
    }
  }
  Frequencies result;
  for (const auto& [value, rows] : counts) {
    result.values.push_back(value);
    result.rows.push_back(rows);
  }
  return result;
}

// Frequencies that rise to a peak and fall again: their ups and downs add up to little more than twice the peak.
bool look_like_counts(const std::vector<Index>& rows) {
  if (rows.size() <= fewest_counts) return false;
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  Index variation = rows.front() + rows.back();
  for (std::size_t i = 1; i < rows.size(); ++i) variation += std::abs(rows[i] - rows[i - 1]);
  return 5 * *least < *most && variation <= 3 * *most;
}

void set_regression(Dataset& dataset, Matrix train, Matrix test, const std::string& name) {
  dataset.task = Task::regression;
  for (Index c = 0; c < train.cols(); ++c) {
    dataset.output_names.push_back(train.cols() == 1 ? name : fmt::format("{}[{}]", name, c));
  }
  dataset.train.targets = std::move(train);
  dataset.test.targets = std::move(test);
}

std::string names_note(const std::string& name, std::size_t count) {
  return fmt::format("target '{}' holds {}: classification", name,
                     count == 1 ? "a single name" : fmt::format("{} different names", count));
}

std::string task_note(const std::string& name, const TaskDecision& decision) {
  const bool classes = decision.task == Task::classification;
  return fmt::format("target '{}' holds {}: {} (task = {} changes that)", name, decision.reason,
                     to_string(decision.task), to_string(classes ? Task::regression : Task::classification));
}

}  // namespace

TaskDecision decide_task(const std::vector<double>& values, bool integers) {
  const auto regression = [](std::string reason) { return TaskDecision{Task::regression, std::move(reason)}; };
  const auto classes = [](std::string reason) { return TaskDecision{Task::classification, std::move(reason)}; };
  if (!std::all_of(values.begin(), values.end(), [](double v) { return v == std::nearbyint(v); })) {
    return regression("numbers that are not whole");
  }
  const Frequencies found = frequencies(values);
  const std::size_t count = found.values.size();
  if (count < 2) return regression("one number only");
  const double range = found.values.back() - found.values.front() + 1.0;
  const std::string what =
      fmt::format("{} whole numbers from {} to {}", count, found.values.front(), found.values.back());
  if (values.size() < least_rows_per_class * count && !(integers && values.size() >= 2 * count)) {
    return regression(fmt::format("{}, too many for {} rows to be classes", what, values.size()));
  }
  if (count <= few_classes) return classes(what);
  if (count > (integers ? most_integer_classes : most_dense_classes))
    return regression(what + ", too many for classes");
  if (range > 2.0 * static_cast<double>(count)) return regression(what + " with gaps between them");
  if (look_like_counts(found.rows)) return regression(what + " that look like counts");
  return classes(what);
}

void set_numeric_targets(Dataset& dataset, Matrix train, Matrix test, const std::string& name, std::optional<Task> task,
                         bool integers) {
  dataset.target_name = name;
  if (train.cols() > 1) {
    if (task == Task::classification) {
      throw Error(ErrorKind::usage, fmt::format("{}: classification needs one column of labels; '{}' has {} columns",
                                                dataset.name, name, train.cols()));
    }
    dataset.notes.push_back(
        fmt::format("target '{}' has {} columns: regression of {} outputs", name, train.cols(), train.cols()));
    return set_regression(dataset, std::move(train), std::move(test), name);
  }
  if (!task) {
    const TaskDecision decision = decide_task({train.data(), train.data() + train.size()}, integers);
    dataset.notes.push_back(task_note(name, decision));
    task = decision.task;
  }
  if (task == Task::regression) return set_regression(dataset, std::move(train), std::move(test), name);
  const std::vector<double> classes = distinct_values(train, test);
  check_class_count(dataset, name, classes.size(), static_cast<std::size_t>(train.rows() + test.rows()));
  std::vector<std::string> names;
  for (const double value : classes) names.push_back(fmt::format("{}", value));
  set_class_targets(dataset, labels_of(train.reshaped<Eigen::RowMajor>(), classes),
                    labels_of(test.reshaped<Eigen::RowMajor>(), classes), std::move(names));
}

void set_text_targets(Dataset& dataset, std::vector<int> labels, const std::vector<std::string>& names,
                      const std::string& name) {
  dataset.target_name = name;
  check_class_count(dataset, name, names.size(), labels.size());
  dataset.notes.push_back(names_note(name, names.size()));
  std::vector<int> order(names.size()), places(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)]; });
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    sorted.push_back(names[static_cast<std::size_t>(order[i])]);
  }
  for (int& label : labels) label = places[static_cast<std::size_t>(label)];
  set_class_targets(dataset, std::move(labels), {}, std::move(sorted));
}

void set_text_targets(Dataset& dataset, const std::vector<std::string>& train, const std::vector<std::string>& test,
                      const std::string& name) {
  dataset.target_name = name;
  std::vector<std::string> classes = train;
  classes.insert(classes.end(), test.begin(), test.end());
  make_distinct(classes);
  check_class_count(dataset, name, classes.size(), train.size() + test.size());
  dataset.notes.push_back(names_note(name, classes.size()));
  set_class_targets(dataset, labels_of(train, classes), labels_of(test, classes), classes);
}

void set_class_targets(Dataset& dataset, std::vector<int> train, std::vector<int> test,
                       std::vector<std::string> class_names) {
  dataset.task = Task::classification;
  dataset.output_names = std::move(class_names);
  dataset.train.labels = std::move(train);
  dataset.test.labels = std::move(test);
}

}  // namespace priorfit::internal

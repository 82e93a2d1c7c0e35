// From a column of targets to a task: class labels or regression values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// Numeric targets, one column or several. Several are regression; of one column see decide_task(). Fills task, output
/// names and targets or labels of both parts of `dataset`, and notes the decision. `test` may have no rows. `integers`:
/// the source holds them as whole numbers by type.
void set_numeric_targets(Dataset& dataset, Matrix train, Matrix test, const std::string& name, std::optional<Task> task,
                         bool integers = false);

/// Names of classes: `labels` are places in `names`, which come in any order. Classes are put into alphabetical order.
void set_text_targets(Dataset& dataset, std::vector<int> labels, const std::vector<std::string>& names,
                      const std::string& name);

/// Names of classes as they are written, train and test.
void set_text_targets(Dataset& dataset, const std::vector<std::string>& train, const std::vector<std::string>& test,
                      const std::string& name);

struct TaskDecision {
  Task task = Task::regression;
  std::string reason;  // "26 whole numbers from 0 to 25"
};

/// What a column of numbers is for. Whole numbers are classes when they are few (at most 20, five rows each on
/// average), or when they fill a range of at most 100 (of 1000 for integers by type) and do not look like counts:
/// frequencies that rise and then fall along more than ten values, the rarest below a fifth of the commonest.
TaskDecision decide_task(const std::vector<double>& values, bool integers);

/// Labels that are classes by the format's own rule, in [0, class_names.size()). They are encoded by prepare().
void set_class_targets(Dataset& dataset, std::vector<int> train, std::vector<int> test,
                       std::vector<std::string> class_names);

}  // namespace priorfit::internal

// From a column of targets to a task: class labels with their encoding, or regression values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit {

/// Numeric targets, one column or several. Several are regression; one is classification when its values are
/// few integers (at most 20 distinct, five rows each on average), unless `task` says otherwise. Fills task,
/// output names, targets and labels of both parts of `dataset`, and notes the decision. `test` may have no
/// rows.
void set_numeric_targets(Dataset& dataset, Matrix train, Matrix test, const std::string& name,
                         std::optional<Task> task);

/// Class names as text, in alphabetical order of the names.
void set_text_targets(Dataset& dataset, const std::vector<std::string>& train, const std::string& name);

/// Labels that are classes by the format's own rule, in [0, class_names.size()).
void set_class_targets(Dataset& dataset, std::vector<int> train, std::vector<int> test,
                       std::vector<std::string> class_names);

}  // namespace priorfit

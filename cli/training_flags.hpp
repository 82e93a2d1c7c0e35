// How networks are trained: the flags that `train` and `experiment` share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "priorfit/training.hpp"

namespace priorfit::cli {

/// --epochs --batch --loss --label-smoothing --optimizer --momentum --nesterov --weight-decay --learning-rate
/// --learning-rate-decay --warmup-epochs --validation-fraction --patience
class TrainingFlags {
 public:
  void add_to(CLI::App& command);
  /// Overwrites what the user gave a flag for.
  void apply_to(TrainOptions& options) const;

 private:
  std::optional<Index> epochs_, batch_, warmup_epochs_, patience_;
  std::optional<std::string> loss_, optimizer_, decay_;
  std::optional<double> label_smoothing_, momentum_, weight_decay_, learning_rate_, validation_fraction_;
  bool nesterov_ = false;
};

}  // namespace priorfit::cli

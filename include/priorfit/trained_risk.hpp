// What a network trained from an initialisation will do, without training it (M8).
//
//     TrainedRiskEngine engine(data.train.inputs, data.train.targets, data.task, NetworkSpec::uniform(1, 512));
//     TrainedRisk he = engine.evaluate(LayerPrior{2.0, 0.0});
//     he.error, he.accuracy;              // expected of a new sample, after training
//     he.initialisation_error;            // the part of the error that the random start costs
//
// A wide network moves as its linearisation, whose kernel is the tangent kernel; each sample is left out in turn, in
// closed form.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/network.hpp"

namespace priorfit {

class MatrixView;  // priorfit/matrix.hpp
enum class Task;   // priorfit/preparation.hpp

enum class Optimizer {
  adam,              // each layer's rate divided by the size of its gradients
  gradient_descent,  // one learning rate for all parameters
};

std::string_view to_string(Optimizer optimizer);
Optimizer parse_optimizer(std::string_view name);  // throws Error(usage) with the nearest match

/// Gradient descent on the mean squared error over samples and outputs, all samples in every step.
struct TrainingTime {
  double steps = 0.0;          // > 0
  double learning_rate = 0.0;  // > 0
};

struct TrainedRiskOptions {
  Optimizer optimizer = Optimizer::adam;
  double ridge = 1e-3;  // λ as a share of the mean of Θ's diagonal; finite, >= 0
  // Training stopped at this time, by gradient descent, instead of at its end; costs an eigendecomposition.
  std::optional<TrainingTime> time = {};

  void validate() const;
};

struct TrainedRisk {
  std::string failure;                                      // why there are no figures; empty: there are
  double error = std::numeric_limits<double>::quiet_NaN();  // R: squared error of a sample left out, mean over outputs
  double standard_error = std::numeric_limits<double>::quiet_NaN();  // of R, from its spread over the samples
  double data_error = std::numeric_limits<double>::quiet_NaN();      // R of the mean prediction over random starts
  double initialisation_error = std::numeric_limits<double>::quiet_NaN();  // the rest of R: the variance of starts
  std::optional<double> accuracy = {};                                     // of classification
  double ridge = std::numeric_limits<double>::quiet_NaN();                 // λ itself

  bool ok() const { return failure.empty(); }
  /// What initialisations are compared by: the share of wrong classes, which the squared error ranks less well
  /// (docs/choice-quality.md), or in regression the error.
  double loss() const { return accuracy ? 1.0 - *accuracy : error; }
};

/// Holds one sample; three packed matrices of N(N+1)/2 doubles and, while it evaluates, two full ones. `inputs` and
/// `targets` are viewed, not copied. Not for use by two threads at once; one evaluation uses all threads.
class TrainedRiskEngine {
 public:
  /// inputs: samples × features; targets: samples × outputs, of classification encoded as in M6
  TrainedRiskEngine(const MatrixView& inputs, const MatrixView& targets, Task task, const NetworkSpec& network,
                    const TrainedRiskOptions& options = {});
  ~TrainedRiskEngine();
  TrainedRiskEngine(TrainedRiskEngine&&) noexcept;
  TrainedRiskEngine& operator=(TrainedRiskEngine&&) noexcept;

  TrainedRisk evaluate(const LayerPrior& prior);
  /// With variances of its own for each of the depth + 1 layers, as Initialisation::layers has them.
  TrainedRisk evaluate(const std::vector<LayerPrior>& layers);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace priorfit

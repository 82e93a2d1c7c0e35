// Predictions made by others than this process alone (src/distributed).
#pragma once

#include <memory>

#include "priorfit/predict.hpp"

namespace priorfit::internal {

class PredictionWork {
 public:
  virtual ~PredictionWork() = default;
  virtual const Evidence& factorization() const = 0;
  virtual Prediction predict(const MatrixView& test_inputs) const = 0;
};

class PredictionElsewhere {
 public:
  virtual ~PredictionElsewhere() = default;
  /// Throws as Posterior does.
  virtual std::unique_ptr<PredictionWork> learn(const MatrixView& inputs, const MatrixView& targets,
                                                const NetworkSpec& network, const std::vector<LayerPrior>& layers,
                                                double noise_variance) = 0;
};

/// Throws Error(numerical) with the reason unless the covariance of the training inputs could be factored.
void require_factored(const Evidence& status);
/// Throws Error(usage) without test rows.
void require_test_rows(const PreparedData& data);

}  // namespace priorfit::internal

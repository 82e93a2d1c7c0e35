// Gaussian-process regression with the random network's prior (M5): the posterior of an infinitely wide network.
//
//     Posterior posterior(data.train.inputs, data.train.targets, NetworkSpec::uniform(1), {2.8, 0.0}, 1e-6);
//     Prediction prediction = posterior.predict(data.test.inputs);
//     PredictionScore score = score_prediction(prediction, data.test, data.task);
#pragma once

#include <memory>
#include <optional>

#include "priorfit/dataset.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

struct Prediction {
  Matrix mean;                  // rows × outputs
  Vector variance;              // rows; of the noiseless function, the same for every output
  double noise_variance = 0.0;  // add it to `variance` for the spread of an observation
};

/// Holds the Cholesky factor (N(N+1)/2 doubles) and A⁻¹Y, nothing else of the sample but the view of its inputs: those
/// must outlive it.
class Posterior {
 public:
  /// inputs: samples × features; targets: samples × outputs. Throws Error(numerical) when the covariance cannot be
  /// factored even with jitter.
  Posterior(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network, const Prior& prior,
            double noise_variance);
  ~Posterior();
  Posterior(Posterior&&) noexcept;
  Posterior& operator=(Posterior&&) noexcept;

  /// In blocks of rows, so that a test set of any size needs some 64 MB beside the factor.
  Prediction predict(const MatrixView& test_inputs) const;

  /// The joint covariance of the noiseless function at the test inputs: rows × rows.
  Matrix covariance(const MatrixView& test_inputs) const;

  /// Status and jitter of the factorisation.
  const Evidence& factorization() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// How good predictions are, in the units that targets are given in.
struct PredictionScore {
  std::optional<double> accuracy;          // classification: share of rows whose largest mean is the right class
  double rmse = 0.0;                       // over all rows and outputs
  double negative_log_predictive_density = 0.0;  // mean over rows and outputs, nats; of an observation, noise included
  double coverage95 = 0.0;                 // share of targets inside the central 95 % interval, noise included
};

/// target_scale: outputs; figures are for targets multiplied by it (PreparedData::target_scale).
PredictionScore score_prediction(const Prediction& prediction, const Samples& truth, Task task,
                                 const Vector& target_scale);

}  // namespace priorfit

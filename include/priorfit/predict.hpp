// Gaussian-process regression with the random network's prior (M5): the posterior of an infinitely wide network.
//
//     NetworkSpec network = NetworkSpec::uniform(1);
//     PredictionResult result = predict(data, network, Initialisation::tied(network, {2.8, 0.0}), {.noise_variance =
//     1e-6}); result.prediction.mean;            // test rows × outputs result.summary.score.coverage95;
//
// or, with matrices of one's own:
//
//     Posterior posterior(data.train.inputs, data.train.targets, NetworkSpec::uniform(1), {2.8, 0.0}, 1e-6);
//     Prediction prediction = posterior.predict(data.test.inputs);
//     PredictionScore score = score_prediction(prediction, data.test, data.task);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

namespace internal {
class PredictionElsewhere;
}

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
  Posterior(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network, const LayerPrior& prior,
            double noise_variance);
  /// With variances of its own for each of the depth + 1 layers.
  Posterior(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
            const std::vector<LayerPrior>& layers, double noise_variance);
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
  std::optional<double> balanced_accuracy;       // classification: mean over the classes that occur
  std::optional<double> accuracy;                // classification: share of rows whose largest mean is the right class
  double rmse = 0.0;                             // over all rows and outputs
  double negative_log_predictive_density = 0.0;  // mean over rows and outputs, nats; of an observation, noise included
  double coverage95 = 0.0;                       // share of targets inside the central 95 % interval, noise included
};

/// target_scale: outputs; figures are for targets multiplied by it (PreparedData::target_scale).
PredictionScore score_prediction(const Prediction& prediction, const Samples& truth, Task task,
                                 const Vector& target_scale);

/// Share of targets inside the central interval that should hold `nominal` of them, noise included.
struct CalibrationPoint {
  double nominal = 0.0;
  double observed = 0.0;
};

/// At nominal levels 0.05, 0.1, … 0.95 and 0.99.
std::vector<CalibrationPoint> calibration(const Prediction& prediction, const Samples& truth);

struct PredictOptions {
  double noise_variance = 1e-6;  // finite, >= 0
  // Null: this process computes. Otherwise several do it together (docs/scale.md).
  std::shared_ptr<internal::PredictionElsewhere> elsewhere = {};
};

/// The truth and what was predicted of one row, in original units.
struct PredictedPoint {
  double truth = 0.0;
  double mean = 0.0;
  double deviation = 0.0;  // of an observation, noise included
};

struct PredictionSummary {
  DataSummary data;
  Index test_rows = 0;
  NetworkSpec network;
  Initialisation start;
  Evidence factorization;  // its noise variance, jitter and status; the evidence itself is not computed
  PredictionScore score;
  std::vector<CalibrationPoint> calibration;
  std::vector<PredictedPoint> points = {};         // regression: of the first output, 1000 rows at most
  std::vector<std::string> classes = {};           // classification, up to 50 classes: their names
  std::vector<std::vector<Index>> confusion = {};  // rows by true class, then by predicted class
  bool start_by_evidence = false;                  // its variances were searched for (predict_by_evidence())
  bool noise_by_evidence = false;                  // likewise the noise
  int threads = 0;
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;
  std::string command;  // that made it; empty for a library call
};

struct PredictionResult {
  Prediction prediction;  // of the test rows, in the units of data.test.targets
  PredictionSummary summary;
};

/// Learns `data.train` and predicts `data.test`. Throws Error(usage) without test rows, Error(numerical) as Posterior,
/// Error(interrupted) when the context cancels.
PredictionResult predict(const PreparedData& data, const NetworkSpec& network, const Initialisation& start,
                         const PredictOptions& options, const RunContext& context = {});

std::string to_table(const PredictionSummary& summary);
std::string to_markdown(const PredictionSummary& summary);
std::string to_csv(const PredictionSummary& summary);   // figure,value
std::string to_json(const PredictionSummary& summary);  // schema priorfit.prediction/1

/// One line per test row in original units: the true target, the predicted mean and the standard deviation of an
/// observation (noise included) for each output; classes by name.
std::string predictions_csv(const Prediction& prediction, const PreparedData& data);

/// The same as a .npy file of shape 2 × rows × outputs: `mean, deviation = numpy.load(file)`.
std::string predictions_npy(const Prediction& prediction, const PreparedData& data);

}  // namespace priorfit

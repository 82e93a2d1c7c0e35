#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evidence/factorization.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "priorfit/predict.hpp"
#include "support/memory.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
namespace {

constexpr Index rows_between_calls = 2048;

std::vector<double> nominal_levels() {
  std::vector<double> levels;
  for (int percent = 5; percent <= 95; percent += 5) levels.push_back(percent / 100.0);
  levels.push_back(0.99);
  return levels;
}

Prediction predict_in_steps(const Posterior& posterior, const Matrix& inputs, Index outputs, double noise_variance,
                            const RunContext& context) {
  Prediction all{Matrix(inputs.rows(), outputs), Vector(inputs.rows()), noise_variance};
  for (Index first = 0; first < inputs.rows(); first += rows_between_calls) {
    const Index count = std::min(rows_between_calls, inputs.rows() - first);
    const Prediction part = posterior.predict(inputs.middleRows(first, count));
    all.mean.middleRows(first, count) = part.mean;
    all.variance.segment(first, count) = part.variance;
    context.report({.stage = fmt::format("{} of {} test rows", first + count, inputs.rows()),
                    .fraction = static_cast<double>(first + count) / static_cast<double>(inputs.rows())});
  }
  return all;
}

}  // namespace

std::vector<CalibrationPoint> calibration(const Prediction& prediction, const Samples& truth) {
  std::vector<CalibrationPoint> points;
  for (const double level : nominal_levels()) points.push_back({level, 0.0});
  for (Index i = 0; i < prediction.mean.rows(); ++i) {
    const double deviation = std::sqrt(prediction.variance[i] + prediction.noise_variance);
    for (Index c = 0; c < prediction.mean.cols(); ++c) {
      // The smallest central interval that holds the target.
      const double error = std::abs(prediction.mean(i, c) - truth.targets(i, c));
      const double level = error == 0 ? 0.0 : std::erf(error / deviation / std::numbers::sqrt2);
      for (CalibrationPoint& point : points) point.observed += level <= point.nominal ? 1.0 : 0.0;
    }
  }
  for (CalibrationPoint& point : points) point.observed /= static_cast<double>(prediction.mean.size());
  return points;
}

PredictionResult predict(const PreparedData& data, const NetworkSpec& network, const Initialisation& start,
                         const PredictOptions& options, const RunContext& context) {
  if (data.test.size() == 0) {
    throw Error(ErrorKind::usage, data.name + " has no test rows: give a test file or a test fraction");
  }
  network.validate();
  start.validate(network);
  context.validate();
  check_noise(options.noise_variance);
  const ThreadScope threads(context.threads);
  const internal::Stopwatch watch;
  const Posterior posterior(data.train.inputs, data.train.targets, network, start.layers, options.noise_variance);
  PredictionResult result;
  result.prediction = predict_in_steps(posterior, data.test.inputs, data.outputs(), options.noise_variance, context);
  PredictionSummary& summary = result.summary;
  summary.data = summarize(data);
  summary.test_rows = data.test.size();
  summary.network = network;
  summary.start = start;
  summary.factorization = posterior.factorization();
  summary.score = score_prediction(result.prediction, data.test, data.task, data.target_scale);
  summary.calibration = calibration(result.prediction, data.test);
  summary.seconds = watch.seconds();
  summary.peak_bytes = peak_memory();
  return result;
}

}  // namespace priorfit

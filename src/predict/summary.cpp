#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evidence/factorization.hpp"
#include "linalg/threads.hpp"
#include "predict/elsewhere.hpp"
#include "priorfit/error.hpp"
#include "priorfit/predict.hpp"
#include "support/memory.hpp"
#include "support/stopwatch.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr Index rows_between_calls = 2048;

std::vector<double> nominal_levels() {
  std::vector<double> levels;
  for (int percent = 5; percent <= 95; percent += 5) levels.push_back(percent / 100.0);
  levels.push_back(0.99);
  return levels;
}

/// As others see it: a Posterior of this process.
class OwnPosterior final : public PredictionWork {
 public:
  explicit OwnPosterior(Posterior posterior) : posterior_(std::move(posterior)) {}
  const Evidence& factorization() const override { return posterior_.factorization(); }
  Prediction predict(const MatrixView& test_inputs) const override { return posterior_.predict(test_inputs); }

 private:
  Posterior posterior_;
};

Prediction predict_in_steps(const PredictionWork& posterior, const Matrix& inputs, Index outputs, double noise_variance,
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

constexpr Index most_points = 1000, most_classes = 50;

std::vector<PredictedPoint> points_of(const Prediction& prediction, const PreparedData& data) {
  std::vector<PredictedPoint> points;
  const Index rows = prediction.mean.rows(), step = (rows + most_points - 1) / most_points;
  const double shift = data.target_shift[0], scale = data.target_scale[0];
  for (Index i = 0; i < rows; i += step) {
    points.push_back({shift + scale * data.test.targets(i, 0), shift + scale * prediction.mean(i, 0),
                      scale * std::sqrt(prediction.variance[i] + prediction.noise_variance)});
  }
  return points;
}

std::vector<std::vector<Index>> confusion_of(const Prediction& prediction, const PreparedData& data) {
  const auto classes = static_cast<std::size_t>(data.outputs());
  std::vector<std::vector<Index>> counts(classes, std::vector<Index>(classes, 0));
  for (Index i = 0; i < prediction.mean.rows(); ++i) {
    Index predicted = 0;
    prediction.mean.row(i).maxCoeff(&predicted);
    const auto truth = static_cast<std::size_t>(data.test.labels[static_cast<std::size_t>(i)]);
    ++counts[truth][static_cast<std::size_t>(predicted)];
  }
  return counts;
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

void internal::require_test_rows(const PreparedData& data) {
  if (data.test.size() > 0) return;
  throw Error(ErrorKind::usage, data.name + " has no test rows: give a test file or a test fraction");
}

PredictionResult predict(const PreparedData& data, const NetworkSpec& network, const Initialisation& start,
                         const PredictOptions& options, const RunContext& context) {
  require_test_rows(data);
  network.validate();
  start.validate(network);
  context.validate();
  check_noise(options.noise_variance);
  const ThreadScope threads(threads_for_call(context.threads).threads);
  const internal::Stopwatch watch;
  const Samples& train = data.train;
  const std::unique_ptr<PredictionWork> posterior =
      options.elsewhere
          ? options.elsewhere->learn(train.inputs, train.targets, network, start.layers, options.noise_variance)
          : std::make_unique<OwnPosterior>(
                Posterior(train.inputs, train.targets, network, start.layers, options.noise_variance));
  PredictionResult result;
  result.prediction = predict_in_steps(*posterior, data.test.inputs, data.outputs(), options.noise_variance, context);
  PredictionSummary& summary = result.summary;
  summary.data = summarize(data);
  summary.test_rows = data.test.size();
  summary.network = network;
  summary.start = start;
  summary.factorization = posterior->factorization();
  summary.score = score_prediction(result.prediction, data.test, data.task, data.target_scale);
  summary.calibration = calibration(result.prediction, data.test);
  if (data.task == Task::regression) summary.points = points_of(result.prediction, data);
  if (data.task == Task::classification && data.outputs() <= most_classes) {
    summary.confusion = confusion_of(result.prediction, data);
    for (Index c = 0; c < data.outputs(); ++c) {
      const auto place = static_cast<std::size_t>(c);
      summary.classes.push_back(place < data.output_names.size() ? data.output_names[place] : fmt::format("{}", c));
    }
  }
  summary.threads = threads_in_use();
  summary.seconds = watch.seconds();
  summary.peak_bytes = peak_memory();
  return result;
}

}  // namespace priorfit

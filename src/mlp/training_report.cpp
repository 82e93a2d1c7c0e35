#include <fmt/format.h>

#include <algorithm>

#include "priorfit/training.hpp"

namespace priorfit {
namespace {

constexpr Index most_classes = 100;  // a table of more is not read
constexpr Index most_points = 2000;  // a chart of more is a blot

std::vector<PredictedValue> predicted_values(const Mlp& network, const PreparedData& data, const Samples& samples,
                                             int threads) {
  const Index count = std::min(samples.size(), std::max<Index>(1, most_points / data.outputs()));
  std::vector<Index> rows(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = i * samples.size() / count;
  const Matrix inputs = samples.inputs(rows, Eigen::all);
  const Matrix outputs = forward(network, inputs, threads);
  const auto original = [&](double value, Index output) {
    return data.target_scale.size() == 0 ? value : data.target_shift[output] + data.target_scale[output] * value;
  };
  std::vector<PredictedValue> values;
  for (Index i = 0; i < count; ++i) {
    for (Index output = 0; output < data.outputs(); ++output) {
      values.push_back({output, original(samples.targets(rows[static_cast<std::size_t>(i)], output), output),
                        original(outputs(i, output), output)});
    }
  }
  return values;
}

TrainingReport without_answers(const Mlp& network, const PreparedData& data, const TrainOptions& options,
                               TrainingSummary summary) {
  TrainingReport report;
  report.data = summarize(data);
  report.output_names = data.output_names;
  report.test_samples = data.test.size();
  report.network = network.spec;
  report.network_outputs = network.outputs();
  report.options = options.resolved(!data.train.labels.empty());
  report.summary = std::move(summary);
  return report;
}

}  // namespace

TrainingReport report_unfinished(const Mlp& network, const PreparedData& data, const TrainOptions& options,
                                 TrainingSummary so_far) {
  TrainingReport report = without_answers(network, data, options, std::move(so_far));
  report.unfinished = fmt::format(
      "The training has not ended: {} of {} epochs are done. If nothing is training here "
      "now, the command below continues it.",
      report.summary.history.size(), options.epochs);
  return report;
}

TrainingReport report_training(const Mlp& trained, const PreparedData& data, const TrainOptions& options,
                               TrainingSummary summary, int threads) {
  TrainingReport report = without_answers(trained, data, options, std::move(summary));
  report.answers_of_test = data.test.size() > 0;
  const Samples& samples = report.answers_of_test ? data.test : data.train;
  if (data.task == Task::regression) {
    report.predictions = predicted_values(trained, data, samples, threads);
  } else if (data.outputs() <= most_classes) {
    report.confusion = confusion_matrix(trained, samples, threads);
  }
  return report;
}

}  // namespace priorfit

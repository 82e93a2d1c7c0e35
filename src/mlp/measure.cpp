#include "mlp/measure.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr Index classes_with_top5 = 21;

// What the metrics are made of, gathered block by block.
struct Sums {
  double loss = 0.0, log_likelihood = 0.0;
  Vector residual, total;              // regression: per output, total about the mean of these rows
  std::vector<Index> right, of_class;  // classification: per class
  Index in_top5 = 0;
};

bool in_top5(const float* outputs, Index count, int label) {
  return std::count_if(outputs, outputs + count, [&](float value) { return value > outputs[label]; }) < 5;
}

void add_answers(const Batch<float>& batch, const float* values, Index outputs, Sums& sums) {
  for (Index row = 0; row < batch.rows; ++row) {
    const float* output = values + row * outputs;
    const int label = batch.labels[static_cast<std::size_t>(row)];
    ++sums.of_class[static_cast<std::size_t>(label)];
    if (answer(output, outputs) == label) ++sums.right[static_cast<std::size_t>(label)];
    if (outputs >= classes_with_top5 && in_top5(output, outputs, label)) ++sums.in_top5;
  }
}

Vector mean_target(const InputRows<float>& rows, std::span<const std::int64_t> chosen) {
  Vector mean = Vector::Zero(rows.outputs());
  for (const std::int64_t row : chosen) {
    for (Index k = 0; k < rows.outputs(); ++k) mean[k] += static_cast<double>(rows.targets()[row * rows.outputs() + k]);
  }
  return mean / static_cast<double>(chosen.size());
}

void add_residuals(const Batch<float>& batch, const float* values, const Vector& mean, Sums& sums) {
  const Index outputs = mean.size();
  for (Index i = 0; i < batch.rows * outputs; ++i) {
    const auto target = static_cast<double>(batch.targets[i]);
    const double error = static_cast<double>(values[i]) - target, deviation = target - mean[i % outputs];
    sums.residual[i % outputs] += error * error;
    sums.total[i % outputs] += deviation * deviation;
  }
}

Sums gather_sums(Engine<float>& engine, const InputRows<float>& rows, std::span<const std::int64_t> chosen) {
  const Index outputs = engine.outputs();
  const auto classes = static_cast<std::size_t>(std::max<Index>(outputs, 2));
  Sums sums{.residual = Vector::Zero(outputs), .total = Vector::Zero(outputs), .right = {}, .of_class = {}};
  sums.right.resize(classes);
  sums.of_class.resize(classes);
  const bool regression = !rows.has_labels();
  const Vector mean = regression ? mean_target(rows, chosen) : Vector();
  for_each_block(engine, rows, chosen, [&](const Batch<float>& batch, const float* values) {
    sums.loss += engine.loss(batch).sum;
    if (regression) return add_residuals(batch, values, mean, sums);
    add_answers(batch, values, outputs, sums);
    if (engine.loss_rule().kind == Loss::cross_entropy) {
      sums.log_likelihood -= batch_loss({Loss::cross_entropy, 0.0}, batch, values, outputs, nullptr).sum;
    }
  });
  return sums;
}

double balanced_accuracy(const Sums& sums) {
  double total = 0.0;
  int classes = 0;
  for (std::size_t c = 0; c < sums.of_class.size(); ++c) {
    if (sums.of_class[c] == 0) continue;
    total += static_cast<double>(sums.right[c]) / static_cast<double>(sums.of_class[c]);
    ++classes;
  }
  return total / classes;
}

}  // namespace

Metrics measure(Engine<float>& engine, const InputRows<float>& rows, std::span<const std::int64_t> chosen,
                const Vector& target_scale) {
  const Sums sums = gather_sums(engine, rows, chosen);
  const auto count = static_cast<double>(chosen.size());
  Metrics metrics;
  metrics.samples = static_cast<Index>(chosen.size());
  metrics.loss = sums.loss / count;
  if (rows.has_labels()) {
    metrics.accuracy = static_cast<double>(std::accumulate(sums.right.begin(), sums.right.end(), Index{0})) / count;
    metrics.balanced_accuracy = balanced_accuracy(sums);
    if (engine.outputs() >= classes_with_top5) metrics.top5_accuracy = static_cast<double>(sums.in_top5) / count;
    if (engine.loss_rule().kind == Loss::cross_entropy) metrics.negative_log_likelihood = -sums.log_likelihood / count;
    return metrics;
  }
  const Vector scale = target_scale.size() > 0 ? target_scale : Vector::Ones(rows.outputs());
  const double largest = scale.maxCoeff();  // out of the squares, which may be none that a double holds
  metrics.rmse = largest * std::sqrt((sums.residual.array() * (scale / largest).array().square()).mean() / count);
  if ((sums.total.array() > 0).all()) {
    metrics.r_squared = 1.0 - (sums.residual.array() / sums.total.array()).mean();
  }
  return metrics;
}

void check_samples(const char* name, const Samples& samples, const Mlp& network, Loss loss) {
  const auto require = [&](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorKind::usage, fmt::format("{} {}", name, message));
  };
  const Index outputs = network.outputs();
  const bool by_label = loss == Loss::cross_entropy;
  require(samples.size() > 0, "samples are empty");
  require(samples.inputs.cols() == network.features(),
          fmt::format("inputs have {} features: the network reads {}", samples.inputs.cols(), network.features()));
  require(by_label || (samples.targets.rows() == samples.size() && samples.targets.cols() == outputs),
          fmt::format("targets are {} × {}: {} samples and {} outputs need {} × {}", samples.targets.rows(),
                      samples.targets.cols(), samples.size(), outputs, samples.size(), outputs));
  require((samples.labels.empty() && !by_label) || static_cast<Index>(samples.labels.size()) == samples.size(),
          fmt::format("has {} labels for {} samples", samples.labels.size(), samples.size()));
  const Index classes = by_label && outputs == 1 ? 2 : outputs;
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const int label = samples.labels[i];
    require(label >= 0 && label < classes,
            fmt::format(
                "has label {} at row {}: it must be at least 0 and below {}{}", label, i, classes,
                classes == outputs ? ", the network's outputs" : ", as a network with one output tells two classes"));
  }
  require(samples.inputs.allFinite(), "inputs hold a value that is not finite");
  require(samples.targets.allFinite(), "targets hold a value that is not finite");
}

int useful_threads(int threads, const Mlp& network, Index rows) {
  // Multiplications, some 50 µs, ten times what waking a thread costs; the threads meet after every layer.
  constexpr double work_of_a_thread = 1e6;
  const double work = static_cast<double>(network.parameters()) * static_cast<double>(rows) /
                      static_cast<double>(network.layers.size());
  const int allowed = threads > 0 ? threads : omp_get_max_threads();
  return std::clamp(static_cast<int>(std::min(work / work_of_a_thread, 1e6)), 1, allowed);
}

}  // namespace priorfit::internal

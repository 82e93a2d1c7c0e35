#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace mlp {
namespace {

// Calls visit(batch, outputs) for consecutive blocks of all rows.
template <typename Visit>
void for_each_block(Engine<float>& engine, const InputRows<float>& rows, const Visit& visit) {
  Batch<float> batch;
  std::vector<std::int64_t> chosen;
  for (Index first = 0; first < rows.size(); first += measure_block) {
    chosen.resize(static_cast<std::size_t>(std::min(measure_block, rows.size() - first)));
    std::iota(chosen.begin(), chosen.end(), first);
    rows.gather(chosen, /*with_columns=*/false, batch);
    visit(batch, engine.forward(batch));
  }
}

Vector squared_errors(Engine<float>& engine, const InputRows<float>& rows, Index* correct) {
  const Index outputs = rows.outputs();
  Vector sums = Vector::Zero(outputs);
  for_each_block(engine, rows, [&](const Batch<float>& batch, const float* values) {
    for (Index i = 0; i < batch.rows * outputs; ++i) {
      const double error = static_cast<double>(values[i]) - static_cast<double>(batch.targets[i]);
      sums[i % outputs] += error * error;
    }
    *correct += engine.loss(batch).correct;
  });
  return sums;
}

// Per output, about the mean of these rows.
Vector total_squares(const InputRows<float>& rows) {
  const Eigen::Map<const FloatMatrix> targets(rows.targets().data(), rows.size(), rows.outputs());
  const Matrix values = targets.cast<double>();
  return (values.rowwise() - values.colwise().mean()).colwise().squaredNorm();
}

}  // namespace

Metrics measure(Engine<float>& engine, const InputRows<float>& rows, const Vector& target_scale) {
  Index correct = 0;
  const Vector residual = squared_errors(engine, rows, &correct);
  const auto count = static_cast<double>(rows.size());
  Metrics metrics{.samples = rows.size(), .loss = residual.mean() / count, .accuracy = {}, .rmse = {}, .r_squared = {}};
  if (rows.has_labels()) {
    metrics.accuracy = static_cast<double>(correct) / count;
    return metrics;
  }
  const Vector scale = target_scale.size() > 0 ? target_scale : Vector::Ones(rows.outputs());
  metrics.rmse = std::sqrt((residual.array() * scale.array().square()).mean() / count);
  const Vector total = total_squares(rows);
  if ((total.array() > 0).all()) metrics.r_squared = 1.0 - (residual.array() / total.array()).mean();
  return metrics;
}

void check_samples(const char* name, const Samples& samples, const Mlp& network) {
  const auto require = [&](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorKind::usage, fmt::format("{} {}", name, message));
  };
  require(samples.size() > 0, "samples are empty");
  require(samples.inputs.cols() == network.features(),
          fmt::format("inputs have {} features: the network reads {}", samples.inputs.cols(), network.features()));
  require(samples.targets.rows() == samples.size() && samples.targets.cols() == network.outputs(),
          fmt::format("targets are {} × {}: {} samples and {} outputs need {} × {}", samples.targets.rows(),
                      samples.targets.cols(), samples.size(), network.outputs(), samples.size(), network.outputs()));
  require(samples.labels.empty() || static_cast<Index>(samples.labels.size()) == samples.size(),
          fmt::format("has {} labels for {} samples", samples.labels.size(), samples.size()));
  for (const int label : samples.labels) {
    require(label >= 0 && label < network.outputs(),
            fmt::format("has label {}: it must be at least 0 and below {}", label, network.outputs()));
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

}  // namespace mlp

namespace {

const double sparse_below = TrainOptions{}.sparse_below;

void check_scale(const Vector& target_scale, const Mlp& network) {
  if (target_scale.size() != 0 && target_scale.size() != network.outputs()) {
    throw Error(ErrorKind::usage, fmt::format("target_scale has {} entries: the network has {} outputs",
                                              target_scale.size(), network.outputs()));
  }
}

mlp::Engine<float> measuring_engine(const Mlp& network, bool sparse, int threads) {
  return mlp::Engine<float>(network, {.max_rows = mlp::measure_block,
                                      .training = false,
                                      .sparse_inputs = sparse,
                                      .threads = mlp::useful_threads(threads, network, mlp::measure_block)});
}

}  // namespace

Metrics evaluate(const Mlp& network, const Samples& samples, const Vector& target_scale, int threads) {
  network.validate();
  mlp::check_samples("evaluate()'s", samples, network);
  check_scale(target_scale, network);
  const ThreadScope scope(mlp::useful_threads(threads, network, mlp::measure_block));
  const mlp::InputRows<float> rows(samples, sparse_below);
  mlp::Engine<float> engine = measuring_engine(network, rows.sparse(), threads);
  return mlp::measure(engine, rows, target_scale);
}

Matrix forward(const Mlp& network, const MatrixView& inputs, int threads) {
  network.validate();
  const Samples samples{inputs, Matrix::Zero(inputs.rows(), network.outputs()), {}};
  mlp::check_samples("forward()'s", samples, network);
  const ThreadScope scope(mlp::useful_threads(threads, network, mlp::measure_block));
  const mlp::InputRows<float> rows(samples, sparse_below);
  mlp::Engine<float> engine = measuring_engine(network, rows.sparse(), threads);
  Matrix outputs(inputs.rows(), network.outputs());
  Index filled = 0;
  mlp::for_each_block(engine, rows, [&](const mlp::Batch<float>& batch, const float* values) {
    outputs.middleRows(filled, batch.rows) =
        Eigen::Map<const FloatMatrix>(values, batch.rows, network.outputs()).cast<double>();
    filled += batch.rows;
  });
  return outputs;
}

}  // namespace priorfit

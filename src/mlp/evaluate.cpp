#include <fmt/format.h>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "priorfit/error.hpp"
#include "priorfit/training.hpp"

namespace priorfit {
using namespace internal;
namespace {

void check_scale(const Vector& target_scale, const Mlp& network) {
  if (target_scale.size() != 0 && target_scale.size() != network.outputs()) {
    throw Error(ErrorKind::usage, fmt::format("target_scale has {} entries: the network has {} outputs",
                                              target_scale.size(), network.outputs()));
  }
}

// Samples and an engine that only measures them.
struct Measuring {
  Measuring(const Mlp& network, const Samples& samples, const internal::LossRule& loss, int threads)
      : useful(internal::useful_threads(threads, network, internal::measure_block)),
        scope(useful),
        rows(samples, TrainOptions{}.sparse_below),
        all(internal::all_rows(rows.size())),
        engine(network, {.max_rows = internal::measure_block,
                         .training = false,
                         .sparse_inputs = rows.sparse(),
                         .threads = useful,
                         .loss = loss,
                         .optimizer = {}}) {}

  int useful;
  ThreadScope scope;
  internal::InputRows<float> rows;
  std::vector<std::int64_t> all;
  internal::Engine<float> engine;
};

}  // namespace

Metrics evaluate(const Mlp& network, const Samples& samples, const EvaluateOptions& options, int threads) {
  network.validate();
  const Loss loss = options.loss.value_or(default_loss(!samples.labels.empty()));
  internal::check_samples("evaluate()'s", samples, network, loss);
  check_scale(options.target_scale, network);
  Measuring measuring(network, samples, {loss, options.label_smoothing}, threads);
  return internal::measure(measuring.engine, measuring.rows, measuring.all, options.target_scale);
}

Matrix forward(const Mlp& network, const MatrixView& inputs, int threads) {
  network.validate();
  const Samples samples{inputs, Matrix::Zero(inputs.rows(), network.outputs()), {}};
  internal::check_samples("forward()'s", samples, network, Loss::squared);
  Measuring measuring(network, samples, {}, threads);
  Matrix outputs(inputs.rows(), network.outputs());
  Index filled = 0;
  internal::for_each_block(measuring.engine, measuring.rows, measuring.all,
                           [&](const internal::Batch<float>& batch, const float* values) {
                             outputs.middleRows(filled, batch.rows) =
                                 Eigen::Map<const FloatMatrix>(values, batch.rows, network.outputs()).cast<double>();
                             filled += batch.rows;
                           });
  return outputs;
}

ConfusionMatrix confusion_matrix(const Mlp& network, const Samples& samples, int threads) {
  network.validate();
  internal::check_samples("confusion_matrix()'s", samples, network, Loss::cross_entropy);
  const auto classes = static_cast<std::size_t>(std::max<Index>(network.outputs(), 2));
  ConfusionMatrix counts(classes, std::vector<Index>(classes, 0));
  Measuring measuring(network, samples, {Loss::cross_entropy, 0.0}, threads);
  internal::for_each_block(
      measuring.engine, measuring.rows, measuring.all, [&](const internal::Batch<float>& batch, const float* values) {
        for (Index row = 0; row < batch.rows; ++row) {
          const Index found = internal::answer(values + row * network.outputs(), network.outputs());
          ++counts[static_cast<std::size_t>(batch.labels[static_cast<std::size_t>(row)])]
                  [static_cast<std::size_t>(found)];
        }
      });
  return counts;
}

}  // namespace priorfit

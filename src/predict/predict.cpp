#include "priorfit/predict.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "evidence/factorization.hpp"
#include "kernel/covariance.hpp"
#include "linalg/fits.hpp"
#include "linalg/threads.hpp"
#include "predict/elsewhere.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr double block_bytes = 64e6;
constexpr double normal_quantile_975 = 1.959963984540054;

Index block_rows(Index samples) {
  return std::clamp<Index>(static_cast<Index>(block_bytes / (8.0 * static_cast<double>(samples))), 16, 2048);
}

}  // namespace

struct Posterior::Implementation {
  std::vector<LayerPrior> layers;
  LayerPriors priors;
  CovarianceFactorization factorization;
  Evidence status;
  LayerVariances training_variances;
  Eigen::MatrixXd weights;  // α = A⁻¹ Y, samples × outputs

  Index samples() const { return factorization.inputs().rows(); }

  /// K(X, X*) column-major: samples × rows of the block.
  void cross_block(const MatrixView& block, const LayerVariances& variances, Index first, Eigen::MatrixXd& out) const {
    const MatrixView& inputs = factorization.inputs();
    out.resize(samples(), block.rows());
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(samples()),
                static_cast<blasint>(block.rows()), static_cast<blasint>(inputs.cols()), 1.0, inputs.data(),
                static_cast<blasint>(inputs.outerStride()), block.data(), static_cast<blasint>(block.outerStride()),
                0.0, out.data(), static_cast<blasint>(samples()));
    variances.require_success();
    const CovariancePass pass(factorization.network(), priors, inputs.cols(), training_variances, variances);
    LoopError error;
#pragma omp parallel for schedule(dynamic, 8)
    for (Index j = 0; j < block.rows(); ++j) {
      double* column = out.col(j).data();
      error.guard([&] { pass.run(column, column, samples(), 0, first + j); });
    }
    error.rethrow();
  }
};

Posterior::Posterior(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                     const LayerPrior& prior, double noise_variance)
    : Posterior(inputs, targets, network, layer_priors(prior, network), noise_variance) {}

Posterior::Posterior(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                     const std::vector<LayerPrior>& layers, double noise_variance) {
  const ThreadScope scope(threads_for(inputs.rows()));
  check_samples(inputs, targets);
  network.validate();
  check_layers(layers, network);
  require_memory("the covariance", inputs.rows(),
                 [&](Index n) { return evidence_bytes(n, targets.cols(), network.depth()) + block_bytes; });
  const LayerPriors priors(layers);
  const Vector norms = inputs.rowwise().squaredNorm();
  implementation_.reset(new Implementation{layers,
                                           priors,
                                           {inputs, network, {.gram = GramStorage::recomputed}},
                                           {},
                                           LayerVariances(network, priors, inputs.cols(), norms),
                                           targets});
  Implementation& self = *implementation_;
  self.status = self.factorization.factor(priors, noise_variance);
  require_factored(self.status);
  solve_lower(self.factorization.lower(), self.weights.data(), self.weights.cols());
  solve_lower_transposed(self.factorization.lower(), self.weights.data(), self.weights.cols());
}

void internal::require_factored(const Evidence& status) {
  if (status.ok()) return;
  const bool noise_helps = status.status == EvidenceStatus::not_positive_definite;
  throw Error(ErrorKind::numerical, "the covariance of the training inputs cannot be factored: " + status.remark() +
                                        (noise_helps ? "; a larger noise variance helps" : ""));
}

Posterior::~Posterior() = default;
Posterior::Posterior(Posterior&&) noexcept = default;
Posterior& Posterior::operator=(Posterior&&) noexcept = default;

const Evidence& Posterior::factorization() const { return implementation_->status; }

Prediction Posterior::predict(const MatrixView& test_inputs) const {
  const Implementation& self = *implementation_;
  const MatrixView& inputs = self.factorization.inputs();
  if (test_inputs.cols() != inputs.cols()) {
    throw Error(ErrorKind::usage,
                fmt::format("test inputs have {} features and training inputs {}", test_inputs.cols(), inputs.cols()));
  }
  check_finite("test inputs", test_inputs);
  const Vector norms = test_inputs.rowwise().squaredNorm();
  const LayerVariances variances(self.factorization.network(), self.priors, inputs.cols(), norms);
  Prediction prediction{Matrix(test_inputs.rows(), self.weights.cols()), Vector(test_inputs.rows()),
                        self.status.noise_variance};
  const Index step = block_rows(self.samples());
  Eigen::MatrixXd cross;
  for (Index first = 0; first < test_inputs.rows(); first += step) {
    const Index count = std::min(step, test_inputs.rows() - first);
    self.cross_block(test_inputs.middleRows(first, count), variances, first, cross);
    prediction.mean.middleRows(first, count).noalias() = cross.transpose() * self.weights;
    solve_lower(self.factorization.lower(), cross.data(), count);
    for (Index j = 0; j < count; ++j) {
      // Rounding may leave a variance just below zero next to a training input.
      prediction.variance[first + j] = std::max(0.0, variances.output(first + j) - cross.col(j).squaredNorm());
    }
  }
  return prediction;
}

Matrix Posterior::covariance(const MatrixView& test_inputs) const {
  const Implementation& self = *implementation_;
  const NetworkSpec& network = self.factorization.network();
  const Vector norms = test_inputs.rowwise().squaredNorm();
  const LayerVariances variances(network, self.priors, test_inputs.cols(), norms);
  Eigen::MatrixXd cross;
  self.cross_block(test_inputs, variances, 0, cross);
  solve_lower(self.factorization.lower(), cross.data(), cross.cols());
  return priorfit::covariance(network, self.layers, test_inputs) - cross.transpose() * cross;
}

PredictionScore score_prediction(const Prediction& prediction, const Samples& truth, Task task,
                                 const Vector& target_scale) {
  const Index rows = prediction.mean.rows(), outputs = prediction.mean.cols();
  if (truth.targets.rows() != rows || truth.targets.cols() != outputs || target_scale.size() != outputs) {
    throw Error(ErrorKind::usage, fmt::format("prediction is {} × {}, truth {} × {}, target_scale {}", rows, outputs,
                                              truth.targets.rows(), truth.targets.cols(), target_scale.size()));
  }
  PredictionScore score;
  const double largest_scale = target_scale.maxCoeff();  // whose square may overflow
  double squares = 0.0, density = 0.0;
  Index covered = 0;
  std::vector<Index> right(static_cast<std::size_t>(outputs), 0), all = right;  // rows of each class
  for (Index i = 0; i < rows; ++i) {
    const double variance = prediction.variance[i] + prediction.noise_variance;
    for (Index c = 0; c < outputs; ++c) {
      const double error = prediction.mean(i, c) - truth.targets(i, c);
      const double share = target_scale[c] / largest_scale;
      squares += error * error * share * share;
      density +=
          0.5 * (error * error / variance + std::log(2 * std::numbers::pi * variance)) + std::log(target_scale[c]);
      covered += std::abs(error) <= normal_quantile_975 * std::sqrt(variance);
    }
    if (task == Task::classification) {
      Index largest = 0;
      prediction.mean.row(i).maxCoeff(&largest);
      const int label = truth.labels[static_cast<std::size_t>(i)];
      ++all[static_cast<std::size_t>(label)];
      right[static_cast<std::size_t>(label)] += largest == label;
    }
  }
  const double values = static_cast<double>(rows * outputs);
  score.rmse = largest_scale * std::sqrt(squares / values);
  score.negative_log_predictive_density = density / values;
  score.coverage95 = static_cast<double>(covered) / values;
  if (!std::isfinite(score.rmse) || !std::isfinite(score.negative_log_predictive_density)) {
    throw Error(
        ErrorKind::numerical,
        fmt::format("errors and densities leave the range of double precision: predictions reach {:.3g}, targets "
                    "{:.3g}",
                    prediction.mean.cwiseAbs().maxCoeff(), truth.targets.cwiseAbs().maxCoeff()));
  }
  if (task == Task::regression) return score;
  Index correct = 0, classes = 0;
  double shares = 0.0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (all[c] == 0) continue;
    correct += right[c];
    shares += static_cast<double>(right[c]) / static_cast<double>(all[c]);
    ++classes;
  }
  score.accuracy = static_cast<double>(correct) / static_cast<double>(rows);
  score.balanced_accuracy = shares / static_cast<double>(classes);
  return score;
}

}  // namespace priorfit

#include "kernel/tangent.hpp"

#include <cmath>

#include "support/loop_error.hpp"

namespace priorfit::internal {
namespace {

/// The parts of Θ(x, x) that the layers' weights and biases make, at unit rates.
struct Parts {
  std::vector<double> weights;
  std::vector<double> biases;
};

Parts diagonal_parts(const DiagonalDual& dual, const LayerPriors& priors, const LayerVariances& variances,
                     double squared_norm, Index input) {
  const Index depth = variances.depth();
  Parts parts{std::vector<double>(static_cast<std::size_t>(depth + 1)), {}};
  parts.biases = parts.weights;
  // From the output back: how a change of layer l's output reaches the network's.
  double reach = 1.0;
  for (Index l = depth; l >= 0; --l) {
    const auto layer = static_cast<std::size_t>(l);
    const double own = l == 0 ? squared_norm : dual(variances.at(l - 1, input)).value;
    parts.weights[layer] = reach * own;
    parts.biases[layer] = reach;
    if (l > 0) reach *= priors.weights[layer] * dual.squared_slope(variances.at(l - 1, input));
  }
  return parts;
}

/// Θ of a block of entries on its way through the layers.
struct CarriedTangent {
  const LayerRates& rates;
  double* tangents;
  double* values;
  double* slopes;

  void want(Index, internal::StepArguments& step) const {
    step.values = values;
    step.by_covariance = slopes;
  }
  void follow(Index layer, const internal::StepArguments& step) const {
    const auto next = static_cast<std::size_t>(layer + 1);
    internal::tangent_pass(
        {step.length, values, slopes, step.weight, rates.weights[next], rates.biases[next], tangents});
  }
};

}  // namespace

LayerRates gradient_descent_rates(const NetworkSpec& network) {
  LayerRates rates{{1.0}, std::vector<double>(network.hidden_widths.size() + 1, 1.0)};
  for (const Index width : network.hidden_widths) rates.weights.push_back(static_cast<double>(width));
  return rates;
}

LayerRates adam_rates(const NetworkSpec& network, const LayerPriors& priors, Index features,
                      const LayerVariances& variances, const Vector& squared_norms, const Vector& counts) {
  LayerRates rates = gradient_descent_rates(network);
  const std::size_t layers = rates.weights.size();
  std::vector<double> weights(layers, 0.0), biases(layers, 0.0);
  const DiagonalDual dual(network.activation);
  const double samples = counts.size() > 0 ? counts.sum() : static_cast<double>(variances.size());
  for (Index i = 0; i < variances.size(); ++i) {
    const Parts parts = diagonal_parts(dual, priors, variances, squared_norms[i], i);
    const double share = (counts.size() > 0 ? counts[i] : 1.0) / samples;
    for (std::size_t l = 0; l < layers; ++l) {
      weights[l] += parts.weights[l] * rates.weights[l] * share;
      biases[l] += parts.biases[l] * rates.biases[l] * share;
    }
  }
  double fan_in = static_cast<double>(features);
  for (std::size_t l = 0; l < layers; ++l) {
    // An output reaches but its own row of the last layer.
    const double units = l + 1 < layers ? static_cast<double>(network.hidden_widths[l]) : 1.0;
    if (weights[l] > 0) rates.weights[l] *= std::sqrt(fan_in * units / weights[l]);
    if (biases[l] > 0) rates.biases[l] *= std::sqrt(units / biases[l]);
    fan_in = units;
  }
  return rates;
}

TangentPass::TangentPass(const NetworkSpec& network, const LayerPriors& priors, const LayerRates& rates, Index features,
                         const LayerVariances& variances)
    : network_(network),
      priors_(priors),
      rates_(rates),
      variances_(variances),
      recursion_(network, priors, features, variances, variances, internal::Derivatives::by_covariance) {}

void TangentPass::run(const double* gram, double* covariances, double* tangents, Index length, Index first_row,
                      Index column) const {
  thread_local std::vector<double> scratch;
  recursion_.for_blocks(length, 4, [&](Index first, Index count) {
    scratch.resize(static_cast<std::size_t>(3 * count));
    double* const carried = scratch.data();  // `tangents` may be the Gram entries that are still to be read
    internal::affine_pass(gram + first, count, rates_.weights[0], rates_.biases[0], carried);
    recursion_.run(gram + first, covariances + first, count, first_row + first, column,
                   CarriedTangent{rates_, carried, carried + count, carried + 2 * count});
    std::copy_n(carried, count, tangents + first);
  });
}

Vector TangentPass::diagonal(const Vector& squared_norms) const {
  Vector sums(variances_.size());
  const DiagonalDual dual(network_.activation);
  for (Index i = 0; i < sums.size(); ++i) {
    const Parts parts = diagonal_parts(dual, priors_, variances_, squared_norms[i], i);
    sums[i] = 0.0;
    for (std::size_t l = 0; l < parts.weights.size(); ++l) {
      sums[i] += parts.weights[l] * rates_.weights[l] + parts.biases[l] * rates_.biases[l];
    }
  }
  return sums;
}

void packed_tangent(const TangentPass& pass, const PackedSymmetric& gram, PackedSymmetric& covariance,
                    PackedSymmetric& tangent) {
  const Vector diagonal = pass.diagonal(gram_diagonal(gram));
  LoopError error;
#pragma omp parallel for schedule(dynamic, 8)
  for (Index c = 0; c < gram.columns(); ++c) {
    for (const PackedRun& run : gram.runs(c)) {
      error.guard([&] {
        pass.run(gram.values() + run.offset, covariance.values() + run.offset, tangent.values() + run.offset,
                 run.length, run.first_row, run.column);
      });
    }
  }
  error.rethrow();
  for (Index i = 0; i < covariance.size(); ++i) {
    covariance(i, i) = pass.variances().output(i);
    tangent(i, i) = diagonal[i];
  }
}

}  // namespace priorfit::internal

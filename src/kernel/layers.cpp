#include "kernel/layers.hpp"

#include <cmath>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr double smallest_variance = 0x1p-500, largest_variance = 0x1p+500;  // products of two are normal doubles

}  // namespace

LayerPriors::LayerPriors(const std::vector<LayerPrior>& layers) {
  for (const LayerPrior& layer : layers) {
    weights.push_back(layer.weight_variance);
    biases.push_back(layer.bias_variance);
  }
}

LayerVariances::LayerVariances(const NetworkSpec& network, const LayerPriors& priors, Index features,
                               const Vector& squared_norms)
    : layers_(network.depth() + 1, squared_norms.size()) {
  const DiagonalDual diagonal(network.activation);
  const double input_scale = priors.weights[0] / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = std::fma(squared_norms[i], input_scale, priors.biases[0]);
    const bool has_signal = squared_norms[i] > 0 || priors.biases[0] > 0;
    layers_(0, i) = q;
    for (Index l = 1; l <= network.depth(); ++l) {
      // A failed variance is not carried on: activations need not be finite at infinity.
      const bool fine = q <= largest_variance && (q >= smallest_variance || !has_signal);
      if (!fine && (!failure_ || failure_->layer > l)) failure_ = {l, i, q};
      const auto layer = static_cast<std::size_t>(l);
      q = fine ? priors.biases[layer] + priors.weights[layer] * diagonal(q).value : std::nan("");
      layers_(l, i) = q;
    }
    const bool fine = q <= largest_variance && (q >= smallest_variance || !has_signal);
    if (!fine && !failure_) failure_ = {network.depth() + 1, i, q};
  }
  if (failure_ || !is_tabulated(network.activation)) return;
  const auto tables = ActivationTables::of(network.activation);
  table_rows_.reserve(static_cast<std::size_t>(network.depth()));
  for (Index l = 0; l < network.depth(); ++l) table_rows_.emplace_back(tables->value, span(l));
}

void LayerVariances::require_success() const {
  if (failure_) throw Error(ErrorKind::numerical, failure_->text());
}

}  // namespace priorfit::internal

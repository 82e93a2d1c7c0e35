// The tangent kernel Θ of a network's training (M8) beside its covariance, both in one pass over Gram entries.
#pragma once

#include "kernel/covariance.hpp"

namespace priorfit::internal {

/// What a layer's own part of Θ counts, the first hidden layer's first: depth + 1 of each.
struct LayerRates {
  std::vector<double> weights;  // times the inner product of inputs, in hidden layers times its mean over units
  std::vector<double> biases;
};

/// One learning rate for every parameter: 1 for the inputs, n_l for a hidden layer of n_l units, 1 for biases.
LayerRates gradient_descent_rates(const NetworkSpec& network);

/// Adam divides each gradient by its size, so a layer's rate by the root mean square of its gradients. Sample i counts
/// `counts`[i] times; empty: once.
LayerRates adam_rates(const NetworkSpec& network, const LayerPriors& priors, Index features,
                      const LayerVariances& variances, const Vector& squared_norms, const Vector& counts = {});

class TangentPass {
 public:
  TangentPass(const NetworkSpec& network, const LayerPriors& priors, const LayerRates& rates, Index features,
              const LayerVariances& variances);

  /// covariances[k] and tangents[k] between input first_row + k and input `column`, from gram[k] = x·y; `gram`
  /// may be either of them.
  void run(const double* gram, double* covariances, double* tangents, Index length, Index first_row,
           Index column) const;

  const LayerVariances& variances() const { return variances_; }
  /// Θ(x, x) of each input.
  Vector diagonal(const Vector& squared_norms) const;

 private:
  NetworkSpec network_;
  LayerPriors priors_;
  LayerRates rates_;
  const LayerVariances& variances_;
  internal::Recursion recursion_;
};

/// K and Θ from gram = X Xᵀ, which may be either of them.
void packed_tangent(const TangentPass& pass, const PackedSymmetric& gram, PackedSymmetric& covariance,
                    PackedSymmetric& tangent);

}  // namespace priorfit::internal

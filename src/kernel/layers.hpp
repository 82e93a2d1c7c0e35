// The covariance recursion M1 as one pass over Gram entries: x·y -> K_L(x, y), all layers while the entry is in a
// register.
#pragma once

#include <vector>

#include "linalg/packed.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {

/// E[φ(u)²] for u ~ N(0, q), the dual at φ = 0 in closed form, and its derivative in q.
Dual diagonal_dual(const Activation& activation, double q);

/// K_l(x, x) of a set of inputs for l = 0 … depth: what each layer of the recursion needs besides the covariance.
class LayerVariances {
 public:
  /// squared_norms: ‖x‖² of each input
  LayerVariances(const NetworkSpec& network, const Prior& prior, Index features, const Vector& squared_norms);

  Index depth() const { return layers_.rows() - 1; }
  Index size() const { return layers_.cols(); }
  const double* layer(Index l) const { return layers_.row(l).data(); }
  double at(Index l, Index i) const { return layers_(l, i); }
  double output(Index i) const { return layers_(depth(), i); }

 private:
  Matrix layers_;  // (depth + 1) × inputs
};

/// The pass itself, for one network, prior and input dimension. Cheap to make.
class CovariancePass {
 public:
  CovariancePass(const NetworkSpec& network, const Prior& prior, Index features);

  /// covariances[k] = K_L between row input first_row + k and column input `column`, from gram[k] = x·y.
  /// `gram` and `covariances` may be the same array.
  void run(const double* gram, double* covariances, Index length, const LayerVariances& rows, Index first_row,
           const LayerVariances& columns, Index column) const;

 private:
  Activation activation_;
  Index depth_;
  double weight_variance_;
  double bias_variance_;
  double input_scale_;  // σ_w² / d
};

/// ‖x‖² of each row, from the diagonal of its Gram matrix, so that identical rows get identical values.
Vector gram_diagonal(const PackedSymmetric& gram);

/// covariance = K_L + ridge I from gram = X Xᵀ; the two may be the same matrix. The diagonal comes from LayerVariances.
void packed_covariance(const CovariancePass& pass, const LayerVariances& variances, double ridge,
                       const PackedSymmetric& gram, PackedSymmetric& covariance);

}  // namespace priorfit

// The covariance of many pairs of inputs from their Gram entries (M1).
#pragma once

#include "kernel/recursion.hpp"
#include "linalg/packed.hpp"

namespace priorfit::internal {

/// For one network, priors and input dimension, and the variances of rows and columns, which must outlive it. To be
/// made outside of parallel regions.
class CovariancePass {
 public:
  CovariancePass(const NetworkSpec& network, const LayerPriors& priors, Index features, const LayerVariances& rows,
                 const LayerVariances& columns)
      : recursion_(network, priors, features, rows, columns, internal::Derivatives::none) {}

  /// covariances[k] = K_L between row input first_row + k and column input `column`, from gram[k] = x·y.
  /// `gram` and `covariances` may be the same array.
  void run(const double* gram, double* covariances, Index length, Index first_row, Index column) const;

 private:
  internal::Recursion recursion_;
};

/// ‖x‖² of each row, from the diagonal of its Gram matrix, so that identical rows get identical values.
Vector gram_diagonal(const PackedSymmetric& gram);

/// covariance = K_L + ridge I from gram = X Xᵀ; the two may be the same matrix. The diagonal comes from LayerVariances.
void packed_covariance(const NetworkSpec& network, const LayerPriors& priors, Index features,
                       const LayerVariances& variances, double ridge, const PackedSymmetric& gram,
                       PackedSymmetric& covariance);

}  // namespace priorfit::internal

// K + σ_n² I dealt out over the grid, made where it lies and factored by ScaLAPACK: the counterpart of
// CovarianceFactorization for several processes. Every rank has all inputs; nobody ever holds the whole matrix.
#pragma once

#include <optional>

#include "distributed/block_matrix.hpp"
#include "kernel/adjoints.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit::internal {

class DistributedCovariance {
 public:
  DistributedCovariance(const World& world, const MatrixView& inputs, const NetworkSpec& network,
                        double largest_relative_jitter);

  /// As CovarianceFactorization::factor, by all ranks together; so are all that follow.
  Evidence factor(const LayerPriors& priors, double noise_variance);

  // After a factor() whose result is ok().
  double log_determinant() const;
  /// L⁻¹ B or, transposed, L⁻ᵀ B; samples × columns, whole on every rank before and after.
  void solve(Eigen::MatrixXd& right, bool transposed) const;

  // Each uses the factor up.
  /// Diagonal of A⁻¹ by L⁻¹.
  Vector inverse_diagonal();
  /// A⁻¹ in place of the factor; its diagonal.
  Vector invert();

  /// The adjoints of Σ_{i>j} W_ij K_ij, W = α αᵀ − scale A⁻¹, after invert(); `pass` of these priors.
  Adjoints off_diagonal_adjoints(const AdjointPass& pass, const Eigen::MatrixXd& alpha, double scale);

  /// Σ over rows of cross(i, j) weights(i, c), and Σ (L⁻¹ cross)²; `cross` = K(X, X*) of some test rows.
  struct CrossProducts {
    Matrix means;      // test rows × columns of weights
    Vector explained;  // test rows
  };
  CrossProducts cross_products(const LayerPriors& priors, const MatrixView& test_inputs,
                               const LayerVariances& test_variances, const Eigen::MatrixXd& weights) const;

  const World& world() const { return world_; }
  const MatrixView& inputs() const { return inputs_; }
  const NetworkSpec& network() const { return network_; }
  const Vector& squared_norms() const { return squared_norms_; }

  /// Rows and columns of a block for so many samples.
  static Index block_size(Index samples, const GridShape& shape);
  /// Bytes that the rank with most takes for evidence and gradient, its inputs not counted.
  static double bytes(Index samples, Index outputs, Index depth, const GridShape& shape);

 private:
  double fill(const LayerPriors& priors, double ridge, std::optional<VarianceFailure>& failure);
  Index cholesky();
  Vector diagonal() const;

  const World& world_;
  MatrixView inputs_;
  NetworkSpec network_;
  double largest_relative_jitter_;
  Vector squared_norms_;
  Index block_;
  BlockMatrix matrix_;
  struct Held {
    LayerPriors priors;
    Evidence result;
  };
  std::optional<Held> held_;
};

}  // namespace priorfit::internal

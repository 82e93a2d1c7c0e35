// K + σ_n² I factored in packed storage: the seam between the model and the linear algebra that evidence and prediction
// share.
#pragma once

#include <functional>
#include <optional>

#include "kernel/adjoints.hpp"
#include "kernel/layers.hpp"
#include "linalg/packed.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit::internal {

/// Throws Error(usage) when shapes disagree or are empty, Error(data) naming the entry that is not finite.
void check_samples(const MatrixView& inputs, const MatrixView& targets);
void check_finite(const char* name, const MatrixView& matrix);
void check_noise(double noise_variance);

/// `samples`, when so many packed matrices of that size fit: refused here, not after minutes or by the kernel's killer.
Index check_memory(Index samples, Index matrices);

/// Most columns that a gradient works with at a time: enough for BLAS-3, little beside the matrix.
inline constexpr Index gradient_columns = 128;

/// Bytes of an engine of so many samples that holds no Gram matrix, at the peak of a gradient.
double evidence_bytes(Index samples, Index outputs, Index depth);

/// The least jitter of a ladder, up to a multiple of the mean variance, that lets the matrix be factored.
/// fill(ridge, failure): makes K + ridge I and returns the mean variance, NaN with the reason where there is none;
/// factor(): 0, or the order of the leading minor that failed.
Evidence factor_with_jitter(double noise_variance, double largest_relative_jitter,
                            const std::function<double(double, std::optional<VarianceFailure>&)>& fill,
                            const std::function<Index()>& factor);

/// Fills in the derivatives from the adjoints of entries off the diagonal and the derivatives on it.
void complete_gradient(const AdjointPass& pass, const Vector& squared_norms, const Vector& diagonal, Adjoints adjoints,
                       EvidenceGradient& result);

/// Σ over samples and outputs of log N(y_i; μ_i, s_i²), μ_i = y_i − α_i/[A⁻¹]_ii, s_i² = 1/[A⁻¹]_ii.
double leave_one_out_density(const Eigen::MatrixXd& alpha, const Vector& inverse_diagonal);

class CovarianceFactorization {
 public:
  CovarianceFactorization(const MatrixView& inputs, const NetworkSpec& network, const EvidenceOptions& options);

  /// Factors K + (noise + jitter) I with the least jitter of the ladder that makes it succeed, and says so in the
  /// status fields of the result; its figures stay untouched. Costs nothing when the factor of the same arguments is
  /// still held.
  Evidence factor(const LayerPriors& priors, double noise_variance);

  /// The Cholesky factor, valid after a factor() whose result is ok().
  const PackedSymmetric& lower() const { return work_; }
  const MatrixView& inputs() const { return inputs_; }
  const NetworkSpec& network() const { return network_; }
  bool holds_gram() const { return gram_.has_value(); }
  const PackedSymmetric* gram() const { return gram_ ? &*gram_ : nullptr; }
  /// ‖x‖² of each sample, valid after the first factor().
  const Vector& squared_norms() const { return squared_norms_; }

  /// The factor's storage, to be turned into something else: the factor is then no longer held.
  PackedSymmetric& consume();

  /// Covariances K (no noise) in full column-major storage, lower triangle only: samples × samples doubles.
  void dense_covariance(const LayerPriors& priors, double* out);

 private:
  struct Held {
    LayerPriors priors;
    Evidence result;
  };

  double fill(const LayerPriors& priors, double ridge);
  Evidence factor_anew(const LayerPriors& priors, double noise_variance);

  MatrixView inputs_;  // samples × features
  NetworkSpec network_;
  EvidenceOptions options_;
  PackedSymmetric work_;
  std::optional<PackedSymmetric> gram_;
  Vector squared_norms_;
  std::optional<VarianceFailure> failure_;  // of the last fill()
  std::optional<Held> held_;                // what work_ is the factor of
};

}  // namespace priorfit::internal

// K + σ_n² I factored in packed storage: the seam between the model and the linear algebra that evidence and prediction
// share.
#pragma once

#include <optional>

#include "linalg/packed.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit {

/// Throws Error(usage) when shapes disagree or are empty, Error(data) naming the entry that is not finite.
void check_samples(const MatrixView& inputs, const MatrixView& targets);
void check_finite(const char* name, const MatrixView& matrix);
void check_noise(double noise_variance);

class CovarianceFactorization {
 public:
  CovarianceFactorization(const MatrixView& inputs, const NetworkSpec& network, const EvidenceOptions& options);

  /// Factors K + (noise + jitter) I with the least jitter of the ladder that makes it succeed, and says so in the status
  /// fields of the result; its figures stay untouched.
  Evidence factor(const Prior& prior, double noise_variance);

  /// The Cholesky factor, valid after a factor() whose result is ok().
  const PackedSymmetric& lower() const { return work_; }
  const MatrixView& inputs() const { return inputs_; }
  const NetworkSpec& network() const { return network_; }
  bool holds_gram() const { return gram_.has_value(); }

 private:
  double fill(const Prior& prior, double ridge);

  MatrixView inputs_;  // samples × features
  NetworkSpec network_;
  EvidenceOptions options_;
  PackedSymmetric work_;
  std::optional<PackedSymmetric> gram_;
};

}  // namespace priorfit

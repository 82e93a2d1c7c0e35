// The marginal likelihood ("evidence") of training targets under the random network's prior (M3).
//
//     EvidenceEngine engine(data.train.inputs, data.train.targets, NetworkSpec::uniform(1));
//     Evidence he = engine.evaluate({.weight_variance = 2.0, .bias_variance = 0.0}, /*noise_variance=*/1e-6);
//     if (he.ok()) use(he.log_marginal_likelihood);     // nats, summed over all outputs
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

enum class EvidenceStatus {
  ok,
  jittered,               // factored only after `jitter` was added to the diagonal
  not_positive_definite,  // no allowed jitter was enough; the figures are NaN
  not_finite,             // the covariance or the result overflowed; the figures are NaN
};

std::string_view to_string(EvidenceStatus status);

struct Evidence {
  EvidenceStatus status = EvidenceStatus::ok;
  double log_marginal_likelihood = 0.0;  // nats, over all samples and outputs
  double per_value = 0.0;                // the same divided by samples × outputs
  double noise_variance = 0.0;
  double jitter = 0.0;                   // added to the noise; 0 unless status is jittered
  Index failed_pivot = 0;                // 1-based order of the first leading minor that failed without jitter, or 0

  /// Whether the figures are usable.
  bool ok() const { return status == EvidenceStatus::ok || status == EvidenceStatus::jittered; }
  /// One sentence when something was out of the ordinary, such as "not positive definite at pivot 17, noise 1e-10".
  std::string remark() const;
};

enum class GramStorage {
  automatic,   // held when it fits comfortably in the memory that is free
  held,        // X Xᵀ is computed once: one more packed matrix
  recomputed,  // X Xᵀ is computed anew for each evaluation: no extra memory
};

struct EvidenceOptions {
  GramStorage gram = GramStorage::automatic;
  // Jitter is tried from 1e-14 to this multiple of the mean variance, in steps of 10; >= 0, 0: none is tried.
  double largest_relative_jitter = 1e-6;

  void validate() const;
};

/// Holds one sample and evaluates its evidence at any number of priors: N(N+1)/2 doubles of work space, and as many
/// again for the Gram matrix if it is held. `inputs` and `targets` are viewed, not copied: they must outlive the engine.
/// Not for use by two threads at once; one evaluation uses all threads.
class EvidenceEngine {
 public:
  /// inputs: samples × features; targets: samples × outputs
  EvidenceEngine(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                 const EvidenceOptions& options = {});
  ~EvidenceEngine();
  EvidenceEngine(EvidenceEngine&&) noexcept;
  EvidenceEngine& operator=(EvidenceEngine&&) noexcept;

  /// noise_variance: finite, >= 0
  Evidence evaluate(const Prior& prior, double noise_variance);

  bool holds_gram() const;

  /// Bytes of matrix work space an engine for `samples` rows takes.
  static std::uint64_t workspace_bytes(Index samples, bool gram_held);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace priorfit

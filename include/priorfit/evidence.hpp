// The marginal likelihood ("evidence") of training targets under the random network's prior (M3).
//
//     EvidenceEngine engine(data.train.inputs, data.train.targets, NetworkSpec::uniform(1));
//     Evidence he = engine.evaluate({.weight_variance = 2.0, .bias_variance = 0.0}, /*noise_variance=*/1e-6);
//     if (he.ok()) use(he.log_marginal_likelihood);     // nats, summed over all outputs
//     EvidenceGradient slope = engine.evaluate_with_gradient({2.0, 0.0}, 1e-6);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/index.hpp"
#include "priorfit/network.hpp"
#include "priorfit/profile.hpp"

namespace priorfit {

namespace internal {
class EvidenceElsewhere;
class EvidenceWork;
}  // namespace internal

class MatrixView;  // priorfit/matrix.hpp

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
  // Σ log p(y_i | all other samples), nats over all samples and outputs; NaN when it was not asked for.
  double leave_one_out = std::numeric_limits<double>::quiet_NaN();
  double noise_variance = 0.0;
  double jitter = 0.0;           // added to the noise; 0 unless status is jittered
  Index failed_pivot = 0;        // 1-based order of the first leading minor that failed without jitter, or 0
  Index failed_layer = 0;        // where a variance exploded or vanished: 1 is the first hidden layer; or 0
  double failed_variance = 0.0;  // its size there

  /// Whether the figures are usable.
  bool ok() const { return status == EvidenceStatus::ok || status == EvidenceStatus::jittered; }
  /// One sentence when something was out of the ordinary, such as "not positive definite at pivot 17, noise 1e-10".
  std::string remark() const;
};

/// Derivatives of the evidence in one layer's variances, nats per unit of σ_w² and σ_b².
struct LayerSlopes {
  double by_weight_variance = 0.0;
  double by_bias_variance = 0.0;
};

/// The evidence with its exact derivatives (those of the jittered matrix where jitter was needed); NaN unless ok().
struct EvidenceGradient {
  Evidence evidence;                     // leave_one_out included
  std::vector<LayerSlopes> layers = {};  // depth + 1, the first hidden layer's first; empty unless ok()
  // All layers moved together: the sums over the layers.
  double by_weight_variance = std::numeric_limits<double>::quiet_NaN();
  double by_bias_variance = std::numeric_limits<double>::quiet_NaN();
  double by_noise_variance = std::numeric_limits<double>::quiet_NaN();
  double inverse_trace =
      std::numeric_limits<double>::quiet_NaN();  // tr A⁻¹; samples / it: noise well below hardly matters

  bool ok() const { return evidence.ok(); }
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
  // Null: this process computes. Otherwise several do it together (docs/scale.md).
  std::shared_ptr<internal::EvidenceElsewhere> elsewhere = {};

  void validate() const;
};

/// Holds one sample and evaluates its evidence at any number of priors: N(N+1)/2 doubles of work space, and as many
/// again for the Gram matrix if it is held. `inputs` and `targets` are viewed, not copied: they must outlive the
/// engine. Not for use by two threads at once; one evaluation uses all threads.
class EvidenceEngine {
 public:
  /// inputs: samples × features; targets: samples × outputs
  EvidenceEngine(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                 const EvidenceOptions& options = {});
  ~EvidenceEngine();
  EvidenceEngine(EvidenceEngine&&) noexcept;
  EvidenceEngine& operator=(EvidenceEngine&&) noexcept;

  /// noise_variance: finite, >= 0
  Evidence evaluate(const LayerPrior& prior, double noise_variance);
  /// With variances of its own for each of the depth + 1 layers, as Initialisation::layers has them.
  Evidence evaluate(const std::vector<LayerPrior>& layers, double noise_variance);

  /// The same with leave_one_out, at the cost of one more factorisation.
  Evidence evaluate_with_leave_one_out(const LayerPrior& prior, double noise_variance);
  Evidence evaluate_with_leave_one_out(const std::vector<LayerPrior>& layers, double noise_variance);

  /// The same with leave_one_out and the derivatives in the noise and every layer's variances, at the cost of less than
  /// three more factorisations; one less when the last call was evaluate() with the same arguments. Little more memory:
  /// at most 128 × depth × samples values, and some columns where the Gram matrix is not held.
  EvidenceGradient evaluate_with_gradient(const LayerPrior& prior, double noise_variance);
  EvidenceGradient evaluate_with_gradient(const std::vector<LayerPrior>& layers, double noise_variance);

  /// Reduces the covariance so that other noise, and for ReLU other scales, cost next to nothing: the time of about
  /// five factorisations, and a full samples × samples matrix for its duration.
  EvidenceProfile profile(const LayerPrior& prior);
  EvidenceProfile profile(const std::vector<LayerPrior>& layers);

  /// Whether profile() can be asked: where this process computes, and the matrix fits.
  bool has_profiles() const;

  const NetworkSpec& network() const;
  bool holds_gram() const;

  /// Bytes of matrix work space an engine for `samples` rows takes.
  static std::uint64_t workspace_bytes(Index samples, bool gram_held);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;     // null where others compute
  std::unique_ptr<internal::EvidenceWork> elsewhere_;  // null where this process does
  NetworkSpec network_;
};

struct GradientCheckOptions {
  double relative_step = 1e-3;  // in (0, 0.1): step / parameter, or the step itself for a parameter that is 0
  double tolerance = 1e-6;      // > 0: a derivative agrees when |analytic - numeric| <= tolerance * scale
};

/// The analytic derivatives beside five-point differences of evaluate(): of relative_step, four and sixteen times that
/// (no more than 0.1), the closest.
struct GradientCheck {
  struct Entry {
    std::string parameter;  // "weight_variance", "bias_variance", "noise_variance", "weight_variance of layer 1", …
    double analytic = 0.0;
    double numeric = 0.0;
    double error = 0.0;  // |analytic - numeric| / scale; scale: the larger of both, at least 1e-3 nats per e-fold
    bool agrees = false;
  };
  EvidenceGradient gradient;
  std::vector<Entry> entries;

  bool agrees() const;
  /// One line per parameter.
  std::string report() const;
};

/// First of weight, bias and noise variance, all layers moved together; then of each layer's weight and bias variance.
GradientCheck check_gradient(EvidenceEngine& engine, const LayerPrior& prior, double noise_variance,
                             const GradientCheckOptions& options = {});
/// First of the noise variance, then of each layer's weight and bias variance.
GradientCheck check_gradient(EvidenceEngine& engine, const std::vector<LayerPrior>& layers, double noise_variance,
                             const GradientCheckOptions& options = {});

}  // namespace priorfit

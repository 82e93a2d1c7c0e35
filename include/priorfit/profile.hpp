// The evidence along the directions that cost nothing once a covariance is reduced (M4): every noise, and, for ReLU
// networks, every scale at a fixed ratio of the variances.
//
//     EvidenceProfile ray = engine.profile({.weight_variance = 1.0, .bias_variance = 0.0});   // about 5 factorisations
//     for (double noise : {1e-6, 1e-4, 1e-2}) use(ray.at(2.0, noise).log_marginal_likelihood);  // milliseconds each
#pragma once

#include <memory>

#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

class EvidenceProfile {
 public:
  struct Implementation;

  struct Point {
    double log_marginal_likelihood;  // NaN when the matrix is not positive definite
    double by_log_weight_variance;   // both variances growing at their fixed ratio; 0 when the scale is fixed
    double by_log_noise_variance;
  };

  EvidenceProfile(EvidenceProfile&&) noexcept;
  EvidenceProfile& operator=(EvidenceProfile&&) noexcept;
  ~EvidenceProfile();

  /// The prior that was reduced.
  const LayerPrior& prior() const;
  /// Whether weight_variance may differ from that of the reduced prior: ReLU with one hidden layer or without bias.
  bool scales() const;
  /// The prior on this profile with the given weight variance.
  LayerPrior prior_at(double weight_variance) const;

  /// Throws Error(usage) for another scale on a profile that does not scale. noise_variance > 0
  Point at(double weight_variance, double noise_variance) const;

  /// Whether there is memory for a profile of so many samples: a full matrix beside the engine's own.
  static bool fits(Index samples);

 private:
  friend class EvidenceEngine;
  explicit EvidenceProfile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace priorfit

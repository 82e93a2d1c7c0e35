// The evidence along the directions that cost nothing once a covariance is reduced (M4): every noise, and, for ReLU
// networks, every common factor of the variances.
//
//     EvidenceProfile ray = engine.profile({.weight_variance = 1.0, .bias_variance = 0.0});   // about 5 factorisations
//     for (double noise : {1e-6, 1e-4, 1e-2}) use(ray.at_scale(2.0, noise).log_marginal_likelihood);  // milliseconds
//     each
#pragma once

#include <memory>
#include <vector>

#include "priorfit/index.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

class EvidenceProfile {
 public:
  struct Implementation;

  struct Point {
    double log_marginal_likelihood;  // NaN when the matrix is not positive definite
    double by_log_scale;             // 0 when the scale is fixed
    double by_log_noise_variance;
  };

  EvidenceProfile(EvidenceProfile&&) noexcept;
  EvidenceProfile& operator=(EvidenceProfile&&) noexcept;
  ~EvidenceProfile();

  /// The layers that were reduced, the first hidden layer's prior first.
  const std::vector<LayerPrior>& layers() const;
  /// Whether all variances may be multiplied by a common factor: for activations such as ReLU, when no layer between
  /// the first and the output has a bias.
  bool scales() const;
  /// The layers with all variances, of weights and biases alike, multiplied by `scale`.
  std::vector<LayerPrior> layers_at(double scale) const;

  /// The evidence of layers_at(scale). Throws Error(usage) for a scale other than 1 unless scales().
  /// scale > 0, noise_variance > 0
  Point at_scale(double scale, double noise_variance) const;

  /// Whether there is memory for a profile of so many samples: a full matrix beside the engine's own.
  static bool fits(Index samples);

 private:
  friend class EvidenceEngine;
  explicit EvidenceProfile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace priorfit

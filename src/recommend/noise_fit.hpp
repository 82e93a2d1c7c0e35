// The best noise for given variances.
#pragma once

#include "recommend/objectives.hpp"

namespace priorfit {

/// Fits the noise of one prior after another on one sample, keeping the last reduction: priors on its ray share it.
class NoiseFit {
 public:
  NoiseFit(EvidenceObjective& objective, const SearchSpace& space) : objective_(objective), space_(space) {}
  /// A profile made before, to be used where it fits.
  NoiseFit(EvidenceObjective& objective, const SearchSpace& space, std::optional<EvidenceProfile> profile)
      : objective_(objective), space_(space), profile_(std::move(profile)) {}

  /// Within the bounds; the fixed noise where it is fixed. Empty when nothing could be factored.
  std::optional<double> best_noise(const LayerPrior& prior);

  /// The same for layers with variances of their own; where a profile does not fit in memory, the best of a few.
  std::optional<double> best_noise(const std::vector<LayerPrior>& layers);

  /// By climbing the evidence itself: what best_noise() does where a profile does not fit in memory.
  std::optional<double> best_noise_directly(const LayerPrior& prior);

  /// The largest noise that is tried.
  double largest() const { return space_.bounds(2).upper; }

 private:
  bool serves(const LayerPrior& prior) const;
  std::optional<double> climb_profile(const LayerPrior& prior);
  using EvidenceOfNoise = std::function<double(const ModelPoint&, Point* gradient)>;
  std::optional<double> climb(const EvidenceOfNoise& evidence, const LayerPrior& prior);

  EvidenceObjective& objective_;
  const SearchSpace& space_;
  std::optional<EvidenceProfile> profile_;
};

/// The evidence of layers with variances of their own, at their best noise within the usual bounds.
Evidence evidence_at_best_noise(const PreparedData& data, const NetworkSpec& network,
                                const std::vector<LayerPrior>& layers);

}  // namespace priorfit

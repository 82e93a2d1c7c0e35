#include <algorithm>
#include <cmath>

#include "recommend/parts.hpp"

namespace priorfit {
namespace {

constexpr Index points = 40;
constexpr Index most_samples = 150;  // 1600 evaluations then take one or two seconds

}  // namespace

EvidenceSurface evidence_surface(const PreparedData& data, const NetworkSpec& network, const Recommendation& result,
                                 const RecommendOptions& options) {
  const PreparedData small = subset(data, std::min(most_samples, data.train.size()), data.seed);
  const LayerPrior& centre = result.recommended.prior;
  EvidenceSurface surface;
  surface.noise_variance = result.recommended.evidence.noise_variance;
  surface.samples = small.train.size();
  // σ_w² over a factor of four to both sides; σ_b² from 0, closer together there, well past the maximum.
  const double widest_bias = std::max(4 * centre.bias_variance, 0.5);
  for (Index i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / (points - 1);
    surface.weight_variances.push_back(centre.weight_variance * std::pow(4.0, 2 * share - 1));
    surface.bias_variances.push_back(widest_bias * share * share);
  }
  surface.log_marginal_likelihood.resize(points, points);
  EvidenceEngine engine(small.train.inputs, small.train.targets, network, options.evidence);
  CostMeter meter(options);
  meter.begin_stage("evidence surface");
  for (Index w = 0; w < points; ++w) {
    for (Index b = 0; b < points; ++b) {
      surface.log_marginal_likelihood(w, b) =
          engine
              .evaluate({surface.weight_variances[std::size_t(w)], surface.bias_variances[std::size_t(b)]},
                        surface.noise_variance)
              .log_marginal_likelihood;
      meter.step();
    }
  }
  return surface;
}

}  // namespace priorfit

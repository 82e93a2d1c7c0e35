#include <algorithm>
#include <cmath>

#include "recommend/parts.hpp"
#include "search/grid.hpp"

namespace priorfit::internal {
namespace {

constexpr Index points = 40;
constexpr Index most_samples = 150;  // 1600 evaluations then take one or two seconds

}  // namespace

EvidenceSurface evidence_surface(const PreparedData& data, const NetworkSpec& network, const Candidate& centre,
                                 const EvidenceOptions& options, const RunContext& context) {
  const PreparedData small = draw_rows(data, std::min(most_samples, data.train.size()), data.seed);
  const LayerPrior pair = centre.pair();
  EvidenceSurface surface;
  surface.noise_variance = centre.evidence().noise_variance;
  surface.samples = small.train.size();
  // σ_w² over a factor of four to both sides; σ_b² from 0, closer together there, well past the maximum.
  const double widest_bias = std::max(4 * pair.bias_variance, 0.5);
  for (Index i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / (points - 1);
    surface.weight_variances.push_back(pair.weight_variance * std::pow(4.0, 2 * share - 1));
    surface.bias_variances.push_back(widest_bias * share * share);
  }
  surface.log_marginal_likelihood.resize(points, points);
  EvidenceEngine engine(small.train.inputs, small.train.targets, network, options);
  StepCounter counter(context, points * points, "points of the surface");
  for (Index w = 0; w < points; ++w) {
    for (Index b = 0; b < points; ++b) {
      const LayerPrior at{surface.weight_variances[std::size_t(w)], surface.bias_variances[std::size_t(b)]};
      surface.log_marginal_likelihood(w, b) = engine.evaluate(at, surface.noise_variance).log_marginal_likelihood;
      counter.step();
    }
  }
  return surface;
}

}  // namespace priorfit::internal

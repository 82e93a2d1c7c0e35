#include "recommend/space.hpp"

#include <algorithm>
#include <cmath>

namespace priorfit {
namespace {

// Closer to a bound than this, in the coordinates, is on it.
constexpr double bound_width = 1e-7;
// For the logarithm of a noise that is fixed at 0; the model gets the 0 back.
constexpr double least = 1e-300;

}  // namespace

SearchSpace::SearchSpace(const RecommendOptions& options)
    : bounds_{options.weight_bounds, options.bias_bounds, options.noise_bounds} {
  if (options.noise_variance) {
    bounds_[2] = {*options.noise_variance, *options.noise_variance};
    free_[2] = false;
  }
  place_bounds();
}

void SearchSpace::place_bounds() {
  for (int i = 0; i < 3; ++i) {
    lower_[i] = std::log(std::max(bounds(i).lower + offset_[i], least));
    upper_[i] = std::log(std::max(bounds(i).upper + offset_[i], least));
  }
}

void SearchSpace::set_noise_offset(double offset) {
  offset_[2] = is_free(2) ? offset : 0.0;
  place_bounds();
}

Point SearchSpace::to_point(const ModelPoint& model) const {
  const Point values(model.prior.weight_variance, model.prior.bias_variance, model.noise_variance);
  return (values + offset_).cwiseMax(least).array().log();
}

ModelPoint SearchSpace::to_model(const Point& point) const {
  const auto value = [&](int i) {
    if (at_lower(point, i)) return bounds(i).lower;
    if (at_upper(point, i)) return bounds(i).upper;
    return std::clamp(std::exp(point[i]) - offset_[i], bounds(i).lower, bounds(i).upper);
  };
  return {{value(0), value(1)}, value(2)};
}

bool SearchSpace::at_lower(const Point& point, int i) const { return point[i] <= lower_[i] + bound_width; }
bool SearchSpace::at_upper(const Point& point, int i) const { return point[i] >= upper_[i] - bound_width; }

Point SearchSpace::chain(const EvidenceGradient& gradient, const ModelPoint& at) const {
  return {gradient.by_weight_variance * (at.prior.weight_variance + offset_[0]),
          gradient.by_bias_variance * (at.prior.bias_variance + offset_[1]),
          gradient.by_noise_variance * (at.noise_variance + offset_[2])};
}

double pair_distance(const LayerPrior& a, const LayerPrior& b) {
  return std::max(std::abs(std::log(a.weight_variance / b.weight_variance)),
                  std::abs(std::log((a.bias_variance + bias_offset) / (b.bias_variance + bias_offset))));
}

}  // namespace priorfit

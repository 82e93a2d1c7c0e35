#include "recommend/noise_fit.hpp"

#include <cmath>

namespace priorfit {
namespace {

constexpr double tolerance = 1e-7;  // of log σ_n²
constexpr int scan = 9;             // noises tried first: in one variable, too, there may be two maxima

}  // namespace

bool NoiseFit::serves(const LayerPrior& prior) const {
  if (!profile_) return false;
  if (profile_->prior() == prior) return true;
  return profile_->scales() && profile_->prior_at(prior.weight_variance) == prior;
}

std::optional<double> NoiseFit::climb(const EvidenceOfNoise& evidence, const LayerPrior& prior) {
  SearchSpace only_noise = space_;
  only_noise.fix(0);
  only_noise.fix(1);
  only_noise.set_noise_offset(0.0);
  Point start = only_noise.clamp(only_noise.to_point({prior, 1.0})), best = start;
  // σ_w² and σ_b² are held at values that may lie outside the bounds of the search.
  const Objective objective = [&](const Point& at, Point* gradient) {
    return evidence({prior, only_noise.to_model(at).noise_variance}, gradient);
  };
  double value = -HUGE_VAL;
  for (int i = 0; i < scan; ++i) {
    start[2] = only_noise.lower(2) + (only_noise.upper(2) - only_noise.lower(2)) * i / (scan - 1);
    const double here = objective(start, nullptr);
    if (here > value) value = here, best = start;
  }
  if (!std::isfinite(value)) return std::nullopt;
  const auto found = maximize(objective, best, only_noise, {.tolerance = tolerance});
  if (!found) return std::nullopt;
  return only_noise.to_model(found->point).noise_variance;
}

std::optional<double> NoiseFit::best_noise(const LayerPrior& prior) {
  if (!space_.is_free(2)) return space_.bounds(2).lower;
  if (!serves(prior)) {
    if (!EvidenceProfile::fits(objective_.samples())) return best_noise_directly(prior);
    profile_.reset();  // its memory is needed for the next
    profile_ = objective_.profile(prior);
    if (!profile_) return std::nullopt;
  }
  return climb_profile(prior);
}

std::optional<double> NoiseFit::best_noise(const std::vector<LayerPrior>& layers) {
  if (!space_.is_free(2)) return space_.bounds(2).lower;
  profile_.reset();
  if (EvidenceProfile::fits(objective_.samples())) {
    profile_ = objective_.profile(layers);
    if (!profile_) return std::nullopt;
    const std::optional<double> found = climb_profile(layers.front());
    profile_.reset();  // it would pass for that of a tied prior
    return found;
  }
  std::optional<double> best;
  double value = -HUGE_VAL;
  for (int i = 0; i < scan; ++i) {
    const Bounds& bounds = space_.bounds(2);
    const double noise = bounds.lower * std::pow(bounds.upper / bounds.lower, static_cast<double>(i) / (scan - 1));
    objective_.meter().factorization(objective_.samples());
    objective_.meter().step();
    const double here = objective_.engine().evaluate(layers, noise).per_value;
    if (here > value) value = here, best = noise;
  }
  return best;
}

std::optional<double> NoiseFit::climb_profile(const LayerPrior& prior) {
  const auto evidence = [this](const ModelPoint& model, Point* gradient) {
    const EvidenceProfile::Point point = profile_->at(model.prior.weight_variance, model.noise_variance);
    if (gradient) *gradient = Point(0.0, 0.0, point.by_log_noise_variance) / objective_.values();
    return point.log_marginal_likelihood / objective_.values();
  };
  return climb(evidence, prior);
}

Evidence evidence_at_best_noise(const PreparedData& data, const NetworkSpec& network,
                                const std::vector<LayerPrior>& layers) {
  const RecommendOptions options;
  CostMeter meter(options);
  const SearchSpace space(options);
  EvidenceObjective objective(data.train.inputs, data.train.targets, network, space, options, meter);
  const std::optional<double> noise = NoiseFit(objective, space).best_noise(layers);
  return objective.engine().evaluate(layers, noise.value_or(options.noise_bounds.upper));
}

std::optional<double> NoiseFit::best_noise_directly(const LayerPrior& prior) {
  if (!space_.is_free(2)) return space_.bounds(2).lower;
  const auto evidence = [this](const ModelPoint& model, Point* gradient) {
    objective_.meter().factorization(objective_.samples());
    objective_.meter().step();
    if (!gradient) return objective_.engine().evaluate(model.prior, model.noise_variance).per_value;
    objective_.meter().gradient(objective_.samples());
    const EvidenceGradient slope = objective_.engine().evaluate_with_gradient(model.prior, model.noise_variance);
    *gradient = Point(0.0, 0.0, slope.by_noise_variance * model.noise_variance) / objective_.values();
    return slope.evidence.per_value;
  };
  return climb(evidence, prior);
}

}  // namespace priorfit

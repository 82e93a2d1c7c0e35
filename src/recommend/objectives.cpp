#include "recommend/objectives.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernel/activation_tables.hpp"
#include "priorfit/error.hpp"

namespace priorfit {

void CostMeter::add(Index samples, double equivalents) {
  cubes_ += equivalents * std::pow(static_cast<double>(samples), 3.0);
}

SearchCost CostMeter::cost(Index whole) const {
  SearchCost cost = cost_;
  cost.equivalents = cubes_ / std::pow(static_cast<double>(whole), 3.0);
  return cost;
}

void CostMeter::begin_stage(std::string text) {
  stage_ = std::move(text);
  steps_ = 0;
  step();
}

void CostMeter::step() {
  if (!options_.progress) return;
  const RecommendProgress progress{std::nullopt, fmt::format("{}, {} evaluations", stage_, steps_++)};
  if (!options_.progress(progress)) throw Error(ErrorKind::interrupted, "interrupted during " + stage_);
}

EvidenceObjective::EvidenceObjective(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                                     const SearchSpace& space, const RecommendOptions& options, CostMeter& meter)
    : samples_(inputs.rows()),
      values_(static_cast<double>(targets.size())),
      network_(network),
      scale_(inputs, targets),
      space_(space),
      meter_(meter),
      engine_(inputs, targets, network, options.evidence) {}

bool EvidenceObjective::is_worth_trying(const LayerPrior& prior) const {
  return !is_tabulated(network_.activation) || is_plausible(network_, prior, scale_);
}

double EvidenceObjective::operator()(const Point& at, Point* gradient) {
  const ModelPoint model = space_.to_model(at);
  if (last_ == at) {
    if (gradient) *gradient = space_.chain(last_gradient_, model) / values_;
    return last_gradient_.evidence.per_value;
  }
  if (!is_worth_trying(model.prior)) {
    last_ = at;
    last_gradient_ = {
        .evidence = {.status = EvidenceStatus::not_finite, .log_marginal_likelihood = NAN, .per_value = NAN}};
    return NAN;
  }
  if (!factored_ || *factored_ != at) meter_.factorization(samples_);
  if (!gradient) {
    factored_ = at;
    const Evidence evidence = engine_.evaluate(model.prior, model.noise_variance);
    meter_.step();
    return evidence.per_value;
  }
  factored_.reset();
  last_gradient_ = engine_.evaluate_with_gradient(model.prior, model.noise_variance);
  last_ = at;
  meter_.gradient(samples_);
  meter_.step();
  *gradient = space_.chain(last_gradient_, model) / values_;
  return last_gradient_.evidence.per_value;
}

template <typename PairOrLayers>
std::optional<EvidenceProfile> EvidenceObjective::reduce(const PairOrLayers& priors) {
  try {
    std::optional<EvidenceProfile> made = engine_.profile(priors);
    meter_.reduction(samples_);
    meter_.step();
    return made;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    return std::nullopt;
  }
}

template std::optional<EvidenceProfile> EvidenceObjective::reduce(const LayerPrior&);
template std::optional<EvidenceProfile> EvidenceObjective::reduce(const std::vector<LayerPrior>&);

EvidenceGradient EvidenceObjective::gradient_at(const Point& at) {
  if (last_ != at) {
    Point ignored;
    (*this)(at, &ignored);
  }
  return last_gradient_;
}

Objective profile_objective(const EvidenceProfile& profile, const SearchSpace& space, double values) {
  return [&profile, &space, values](const Point& at, Point* gradient) {
    const ModelPoint model = space.to_model(at);
    const EvidenceProfile::Point point = profile.at(model.prior.weight_variance, model.noise_variance);
    if (gradient) {
      const double stretch = model.noise_variance > 0 ? 1 + space.offset(2) / model.noise_variance : 0.0;
      *gradient = Point(point.by_log_weight_variance, 0.0, point.by_log_noise_variance * stretch) / values;
    }
    return point.log_marginal_likelihood / values;
  };
}

}  // namespace priorfit

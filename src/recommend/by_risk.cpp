// What a network trained from each choice is predicted to do, and choosing by that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

#include "priorfit/error.hpp"
#include "recommend/parts.hpp"

namespace priorfit {
namespace {

constexpr int refinements = 15;     // evaluations between cells
constexpr double first_step = 0.3;  // in the logarithms
constexpr double smallest_step = 0.02;

/// Predictions on one sample of the data, each reported as a step.
class Predictions {
 public:
  /// total: how many there will be, at most
  Predictions(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options, std::size_t total)
      : sample_(subset(data, std::min(options.risk_samples, data.train.size()), data.seed)),
        engine_(sample_, network, options.risk),
        options_(options),
        total_(total) {}

  Index samples() const { return sample_.train.size(); }
  template <class Variances>
  TrainedRisk operator()(const Variances& variances) {
    TrainedRisk risk = engine_.evaluate(variances);
    ++done_;
    const RecommendProgress progress{static_cast<double>(done_) / static_cast<double>(total_),
                                     fmt::format("{} of {} predictions", done_, total_)};
    if (options_.progress && !options_.progress(progress)) {
      throw Error(ErrorKind::interrupted, fmt::format("interrupted after {}", progress.stage));
    }
    return risk;
  }

 private:
  PreparedData sample_;
  TrainedRiskEngine engine_;
  const RecommendOptions& options_;
  std::size_t done_ = 0, total_;
};

/// The coordinates of SearchSpace without noise, and log σ² of an output layer of its own.
std::vector<double> to_coordinates(const LayerPrior& prior) {
  std::vector<double> t = {std::log(prior.weight_variance), std::log(prior.bias_variance + bias_offset)};
  if (prior.output_weight_variance) t.push_back(std::log(*prior.output_weight_variance));
  return t;
}

LayerPrior to_prior(const std::vector<double>& t) {
  LayerPrior prior{std::exp(t[0]), std::max(0.0, std::exp(t[1]) - bias_offset)};
  if (prior.bias_variance < 1e-6) prior.bias_variance = 0.0;
  if (t.size() > 2) prior.output_weight_variance = std::exp(t[2]);
  return prior;
}

/// The least predicted loss near `start`, at a few evaluations more.
RiskCandidate refine(Predictions& predict, const RiskCandidate& start, const RecommendOptions& options) {
  RiskCandidate best = start;
  std::vector<double> t = to_coordinates(start.prior);
  const auto loss = [&](const std::vector<double>& at, std::vector<double>&) {
    const LayerPrior prior = to_prior(at);
    const TrainedRisk risk = predict(prior);
    if (risk.ok() && risk.loss() < best.risk.loss()) best = {prior, risk};
    return risk.ok() ? std::log(std::max(risk.loss(), 1e-12)) : HUGE_VAL;
  };
  nlopt::opt search(nlopt::LN_BOBYQA, static_cast<unsigned>(t.size()));
  std::vector<double> lower = {std::log(options.weight_bounds.lower),
                               std::log(options.bias_bounds.lower + bias_offset)};
  std::vector<double> upper = {std::log(options.weight_bounds.upper),
                               std::log(options.bias_bounds.upper + bias_offset)};
  if (t.size() > 2) lower.push_back(std::log(1e-4)), upper.push_back(upper.front());
  for (std::size_t i = 0; i < t.size(); ++i) {  // the grid may be wider than the bounds
    lower[i] = std::min(lower[i], t[i]);
    upper[i] = std::max(upper[i], t[i]);
  }
  search.set_lower_bounds(lower);
  search.set_upper_bounds(upper);
  search.set_min_objective([](const std::vector<double>& at, std::vector<double>& slope,
                              void* of) { return (*static_cast<decltype(loss)*>(of))(at, slope); },
                           const_cast<void*>(static_cast<const void*>(&loss)));
  search.set_initial_step(first_step);
  search.set_xtol_abs(smallest_step);
  search.set_maxeval(refinements);
  double value = 0.0;
  try {
    search.optimize(t, value);
  } catch (const nlopt::roundoff_limited&) {  // best holds what was found
  }
  return best;
}

}  // namespace

void fill_risks(Recommendation& result, const PreparedData& data, const RecommendOptions& options) {
  if (options.risk_samples == 0) return;
  // Where the evidence chooses, a prediction of every cell would take longer than all of their evidence.
  const bool every_cell = options.criterion == Criterion::trained_risk && result.is_grid();
  Predictions predict(data, result.network, options, result.baselines.size() + (every_cell ? result.grid.size() : 1));
  result.risk_samples = predict.samples();
  result.risk_options = options.risk;
  for (Baseline& baseline : result.baselines) baseline.cell.risk = predict(baseline.layers);
  if (!every_cell) {
    result.recommended.risk = predict(result.recommended.prior);
    return;
  }
  for (EvidenceCell& cell : result.grid) cell.risk = predict(cell.prior);
  result.recommended.risk = result.grid[static_cast<std::size_t>(result.best_cell)].risk;
  result.most_evidence = result.recommended;
  for (const EvidenceCell& cell : result.grid) {
    if (!cell.risk->ok()) continue;
    if (!result.least_risk || cell.risk->loss() < result.least_risk->risk->loss()) result.least_risk = cell;
  }
}

void choose_by_risk(Recommendation& result, const PreparedData& data, const RecommendOptions& options) {
  std::vector<RiskCandidate> candidates;
  for (const EvidenceCell& cell : result.grid) candidates.push_back({cell.prior, *cell.risk});
  if (result.least_risk) {
    Predictions predict(data, result.network, options, refinements);
    const RiskCandidate refined = refine(predict, {result.least_risk->prior, *result.least_risk->risk}, options);
    candidates.push_back(refined);
    result.least_risk = {refined.prior, {}, refined.risk};
  }
  const std::size_t chosen = preferred_candidate(candidates);
  result.criterion = Criterion::trained_risk;
  result.at_bound.clear();
  const bool on_grid = chosen < result.grid.size();
  result.best_cell = on_grid ? static_cast<Index>(chosen) : -1;
  result.recommended =
      on_grid ? result.grid[chosen] : EvidenceCell{candidates[chosen].prior, {}, candidates[chosen].risk};
  if (on_grid) return;
  // Its evidence, for comparison, at the noise that suits it.
  RecommendOptions silent = options;
  CostMeter meter(silent);
  const SearchSpace space(silent);
  EvidenceObjective objective(data.train.inputs, data.train.targets, result.network, space, silent, meter);
  NoiseFit noise(objective, space);
  const LayerPrior& prior = result.recommended.prior;
  result.recommended.evidence =
      objective.engine().evaluate(prior, noise.best_noise(prior).value_or(options.noise_bounds.upper));
}

}  // namespace priorfit

#include "priorfit/recommend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "recommend/parts.hpp"
#include "support/memory.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace {

void check_list(const char* name, const std::vector<double>& values, double least, bool least_allowed) {
  for (const double value : values) {
    if (!std::isfinite(value) || value < least || (value == least && !least_allowed)) {
      throw Error(ErrorKind::usage, fmt::format("{} holds {}: each must be finite and {} {}", name, value,
                                                least_allowed ? "at least" : "greater than", least));
    }
  }
  if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is {}: values must ascend without repetition", name, fmt::join(values, ", ")));
  }
}

void check_bounds(const char* name, const Bounds& bounds, bool zero_allowed) {
  const bool ordered = std::isfinite(bounds.upper) && bounds.lower < bounds.upper;
  if (!ordered || bounds.lower < 0 || (bounds.lower == 0 && !zero_allowed)) {
    throw Error(ErrorKind::usage, fmt::format("{} are {}, {}: the lower must be {} 0 and less than the upper", name,
                                              bounds.lower, bounds.upper, zero_allowed ? "at least" : "greater than"));
  }
}

void check_positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0)) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}: it must be finite and greater than 0", name, value));
  }
}

}  // namespace

std::string_view to_string(Parameter parameter) {
  switch (parameter) {
    case Parameter::weight_variance: return "weight_variance";
    case Parameter::bias_variance: return "bias_variance";
    case Parameter::noise_variance: return "noise_variance";
  }
  return "unknown";
}

void GrowthOptions::validate() const {
  if (first_size < 2) throw Error(ErrorKind::usage, fmt::format("first_size is {}: it must be at least 2", first_size));
  if (subsets < 1) throw Error(ErrorKind::usage, fmt::format("subsets is {}: it must be at least 1", subsets));
  check_positive("growth tolerance", tolerance);
  check_positive("time_limit", time_limit);
}

std::string_view to_string(Criterion criterion) {
  return criterion == Criterion::evidence ? "evidence" : "trained-risk";
}

Criterion parse_criterion(std::string_view name) {
  for (const Criterion criterion : {Criterion::evidence, Criterion::trained_risk}) {
    if (name == to_string(criterion)) return criterion;
  }
  throw Error(ErrorKind::usage, fmt::format("criterion '{}' is unknown{} (evidence, trained-risk)", name,
                                            suggestion(name, {"evidence", "trained-risk"})));
}

RecommendOptions RecommendOptions::risk_grid() {
  RecommendOptions options;
  options.weight_variances = {0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0};
  options.bias_variances = {0.0, 0.1, 1.0};
  return options;
}

RecommendOptions RecommendOptions::paper_grid() {
  RecommendOptions options;
  options.weight_variances = {0.4, 1.2, 2.0, 2.8, 3.6};
  options.bias_variances = {0.0, 1.0, 2.0};
  options.noise_variance = 1e-6;
  return options;
}

void RecommendOptions::validate() const {
  check_list("weight_variances", weight_variances, 0.0, false);
  check_list("bias_variances", bias_variances, 0.0, true);
  check_list("output_weight_variances", output_weight_variances, 0.0, false);
  risk.validate();
  if (risk_samples < 0 || risk_samples == 1) {
    throw Error(ErrorKind::usage, fmt::format("risk_samples is {}: it must be 0 or at least 2", risk_samples));
  }
  if (risk_samples == 0 && criterion == Criterion::trained_risk) {
    throw Error(ErrorKind::usage, "risk_samples is 0: trained_risk cannot do without");
  }
  check_bounds("weight_bounds", weight_bounds, false);
  check_bounds("bias_bounds", bias_bounds, true);
  check_bounds("noise_bounds", noise_bounds, false);
  check_positive("tolerance", tolerance);
  if (noise_variance && !(std::isfinite(*noise_variance) && *noise_variance >= 0)) {
    throw Error(ErrorKind::usage,
                fmt::format("noise_variance is {}: it must be finite and at least 0", *noise_variance));
  }
  if (growth) growth->validate();
  if (threads < 0) throw Error(ErrorKind::usage, fmt::format("threads is {}: it must be at least 0", threads));
  evidence.validate();
}

double Recommendation::gain_over(const Baseline& baseline) const {
  return best().evidence.log_marginal_likelihood - baseline.cell.evidence.log_marginal_likelihood;
}

Recommendation recommend_continuous(const PreparedData& all, const NetworkSpec& network,
                                    const RecommendOptions& options) {
  const Stopwatch watch;
  CostMeter meter(options);
  std::optional<GrownSample> grown;
  if (options.growth) grown = grow_sample(all, network, options, meter);
  const PreparedData& data = grown ? grown->data : all;
  meter.begin_stage(fmt::format("search at {} samples", data.train.size()));
  ContinuousSearch search(data.train.inputs, data.train.targets, network, options, meter, data.seed);
  SearchOutcome outcome = grown ? search.warm(grown->maximum) : search.cold();

  meter.begin_stage("intervals and baselines");
  Recommendation result;
  result.data = summarize(data);
  result.search_seconds = watch.seconds();
  result.cost = meter.cost(data.train.size());
  result.recommended = {search.space().to_model(outcome.best.point).prior, outcome.gradient.evidence};
  result.noise_fitted = !options.noise_variance;
  result.gradient = outcome.gradient;
  result.optima = outcome.optima;
  result.starts = grown ? grown->starts : outcome.starts;
  if (grown) result.optima.insert(result.optima.end(), grown->other_optima.begin(), grown->other_optima.end());
  result.gram_held = search.objective().engine().holds_gram();
  fill_bounds(result, outcome, search.space());
  fill_intervals(result, outcome, search);
  result.baselines = baseline_priors(network, data.features(), data.outputs());
  NoiseFit noise(search.objective(), search.space(), std::move(outcome.ray));
  fill_baselines(result.baselines, search.objective(), noise);
  if (options.surface) result.surface = evidence_surface(data, network, result, options);
  if (grown) result.growth = std::move(grown->growth);
  return result;
}

Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options) {
  options.validate();
  network.validate();
  const ThreadScope threads(options.threads);
  const Stopwatch watch;
  // A grid takes the sample as it is; what would have grown is drawn as large as the prediction needs it.
  std::optional<PreparedData> drawn;
  if (options.growth && options.is_grid()) {
    drawn = subset(data, std::min(std::max<Index>(options.risk_samples, 2), data.train.size()), data.seed);
  }
  const PreparedData& used = drawn ? *drawn : data;
  Recommendation result =
      options.is_grid() ? recommend_from_grid(used, network, options) : recommend_continuous(used, network, options);
  if (options.is_grid()) result.data = summarize(used);
  result.network = network;
  fill_risks(result, used, options);
  if (options.criterion == Criterion::trained_risk) choose_by_risk(result, used, options);
  result.seconds = watch.seconds();
  result.peak_bytes = peak_memory();
  return result;
}

}  // namespace priorfit

// What may be asked for, and what is done where nothing is said.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "priorfit/error.hpp"
#include "recommend/parts.hpp"

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
    throw Error(ErrorKind::usage,
                fmt::format("{} is {} to {}: the lower end must be {} 0 and less than the upper", name, bounds.lower,
                            bounds.upper, zero_allowed ? "at least" : "greater than"));
  }
}

void check_positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0)) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}: it must be finite and greater than 0", name, value));
  }
}

void check_search(const RecommendOptions& options, const CriterionInfo& criterion) {
  if (const auto* continuous = std::get_if<ContinuousSearch>(&options.search)) {
    check_positive("tolerance", continuous->tolerance);
    if (!criterion.has_gradient) {
      throw Error(ErrorKind::usage,
                  fmt::format("search is continuous: {} has no gradient, so that a grid is searched", criterion.name));
    }
  }
  if (const auto* grid = std::get_if<GridSearch>(&options.search)) {
    check_list("weight_variances", grid->weight_variances, 0.0, false);
    check_list("bias_variances", grid->bias_variances, 0.0, true);
    check_list("output_weight_variances", grid->output_weight_variances, 0.0, false);
    if (!grid->output_weight_variances.empty() && options.family != FamilyKind::output) {
      throw Error(ErrorKind::usage,
                  fmt::format("output_weight_variances is given: family is {}, and only output has an "
                              "output layer of its own",
                              to_string(options.family)));
    }
    if (options.family == FamilyKind::per_layer) {
      throw Error(ErrorKind::usage,
                  "search is a grid: a pair per layer has too many cells; leave the search automatic");
    }
  }
}

}  // namespace

void GrowthOptions::validate() const {
  if (first_size < 2) throw Error(ErrorKind::usage, fmt::format("first_size is {}: it must be at least 2", first_size));
  if (subsets < 1) throw Error(ErrorKind::usage, fmt::format("subsets is {}: it must be at least 1", subsets));
  check_positive("growth tolerance", tolerance);
  check_positive("time_limit", time_limit);
}

GridSearch RecommendOptions::usual_grid(FamilyKind family) {
  GridSearch grid{.weight_variances = {0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}, .bias_variances = {0.0, 0.1, 1.0}};
  if (family == FamilyKind::output) grid.output_weight_variances = {0.001, 0.01, 0.1, 1.0};
  return grid;
}

RecommendOptions RecommendOptions::paper_grid() {
  RecommendOptions options;
  options.search = GridSearch{.weight_variances = {0.4, 1.2, 2.0, 2.8, 3.6}, .bias_variances = {0.0, 1.0, 2.0}};
  options.noise = NoiseChoice::at(1e-6);
  return options;
}

void RecommendOptions::validate() const {
  current.validate();
  pilots.validate();
  const CriterionInfo& info = find_criterion(criterion == "auto" ? "evidence" : criterion);
  for (const std::string& name : also.value_or(std::vector<std::string>())) find_criterion(name);
  check_search(*this, info);
  risk.validate();
  if (risk_samples < 0 || risk_samples == 1) {
    throw Error(ErrorKind::usage, fmt::format("risk_samples is {}: it must be 0 or at least 2", risk_samples));
  }
  if (risk_samples == 0 && criterion == "trained-risk") {
    throw Error(ErrorKind::usage, "risk_samples is 0: trained-risk cannot do without");
  }
  if (rows_used_whole < 0) {
    throw Error(ErrorKind::usage, fmt::format("rows_used_whole is {}: it must be at least 0", rows_used_whole));
  }
  check_bounds("weight_bounds", weight_bounds, false);
  check_bounds("bias_bounds", bias_bounds, true);
  if (noise.kind != NoiseChoice::Kind::fixed) check_bounds("noise_bounds", noise.bounds, false);
  if (noise.kind == NoiseChoice::Kind::fixed && !(std::isfinite(noise.value) && noise.value >= 0)) {
    throw Error(ErrorKind::usage, fmt::format("noise_variance is {}: it must be finite and at least 0", noise.value));
  }
  growth.validate();
  evidence.validate();
}

namespace internal {

namespace {

/// Something that the evidence alone can do was asked for.
bool asks_for_evidence(const RecommendOptions& asked) {
  return !std::holds_alternative<AutomaticSearch>(asked.search) || asked.family != FamilyKind::tied ||
         asked.noise.kind != NoiseChoice::Kind::automatic || asked.also;
}

}  // namespace

RecommendOptions resolved(const RecommendOptions& asked) {
  RecommendOptions options = asked;
  if (options.criterion == "auto") {
    if (!asks_for_evidence(asked)) return options;
    options.criterion = "evidence";
  }
  const CriterionInfo& criterion = find_criterion(options.criterion);
  // A grid of the evidence that the caller named is done as the paper does: all rows, and noise 1e-6 unless told.
  const auto* given = std::get_if<GridSearch>(&asked.search);
  const bool as_paper_does =
      options.criterion == "evidence" && given &&
      (options.family == FamilyKind::tied || !given->weight_variances.empty() || !given->bias_variances.empty());
  if (as_paper_does) options.rows_used_whole = 0;
  if (const auto* automatic = std::get_if<AutomaticSearch>(&asked.search)) {
    if (criterion.has_gradient && options.family != FamilyKind::output) {
      options.search = ContinuousSearch{.surface = automatic->surface};
    } else {
      options.search = GridSearch{};
    }
  }
  if (auto* grid = std::get_if<GridSearch>(&options.search)) {
    const bool as_paper = options.criterion == "evidence" && options.family == FamilyKind::tied;
    const GridSearch usual = as_paper ? std::get<GridSearch>(RecommendOptions::paper_grid().search)
                                      : RecommendOptions::usual_grid(options.family);
    if (grid->weight_variances.empty()) grid->weight_variances = usual.weight_variances;
    if (grid->bias_variances.empty()) grid->bias_variances = usual.bias_variances;
    if (grid->output_weight_variances.empty()) grid->output_weight_variances = usual.output_weight_variances;
  }
  if (options.noise.kind == NoiseChoice::Kind::automatic) {
    options.noise = as_paper_does ? NoiseChoice::at(1e-6) : NoiseChoice::fit(options.noise.bounds);
  }
  if (!options.also) {
    options.also.emplace();
    if (options.criterion == "evidence" && options.risk_samples > 0) options.also->push_back("trained-risk");
  }
  std::erase(*options.also, options.criterion);
  return options;
}

CriterionOptions criterion_options(const RecommendOptions& options) {
  const auto* grid = std::get_if<GridSearch>(&options.search);
  return {.noise = options.noise,
          .evidence = options.evidence,
          .leave_one_out = grid && grid->leave_one_out,
          .risk = options.risk,
          .risk_samples = options.risk_samples};
}

Family family_of(const NetworkSpec& network, const RecommendOptions& options) {
  constexpr double least_output = 1e-4;  // an output layer may start almost silent
  switch (options.family) {
    case FamilyKind::output:
      return Family::with_output(network, options.weight_bounds, options.bias_bounds,
                                 {std::min(least_output, options.weight_bounds.lower), options.weight_bounds.upper});
    case FamilyKind::per_layer: return Family::per_layer(network, options.weight_bounds, options.bias_bounds);
    case FamilyKind::tied: break;
  }
  return Family::tied(network, options.weight_bounds, options.bias_bounds);
}

}  // namespace internal
}  // namespace priorfit

// The maximum of a criterion that has a gradient.
#include <fmt/format.h>

#include <algorithm>

#include "criteria/evidence_criterion.hpp"
#include "recommend/parts.hpp"
#include "search/estimates.hpp"
#include "search/growing.hpp"
#include "support/stopwatch.hpp"

namespace priorfit::internal {
namespace {

/// The sample that is searched, and what a growing one found on its way.
struct Searched {
  std::shared_ptr<JudgedRows> rows;
  SmoothCriterion* criterion;
  std::optional<GrownSample> grown;
};

Searched choose_sample(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                       const Family& family, const MaximumOptions& search, const std::shared_ptr<WorkMeter>& meter,
                       const RunContext& context) {
  Searched result;
  const Index rows = data.train.size();
  if (options.rows_used_whole == 0 || rows <= options.rows_used_whole) {
    result.rows = std::make_shared<JudgedRows>(data, network, options, options.criterion);
  } else {
    const SampleMaker sample = [&](Index samples, std::uint64_t seed) {
      auto made = std::make_shared<JudgedRows>(data, samples, seed, network, options, options.criterion);
      made->criterion().smooth()->share(meter);
      if (seed == data.seed) result.rows = made;  // the first subset of each size, so in the end of the last
      return std::shared_ptr<SmoothCriterion>(made, made->criterion().smooth());
    };
    result.grown = grow_sample(sample, rows, data.seed, family, options.growth, search, context);
  }
  result.criterion = result.rows->criterion().smooth();
  result.criterion->share(meter);
  return result;
}

/// In all coordinates of a family with more than one pair, from the maximum of one pair.
struct Widened {
  SearchSpace space;
  Maximum maximum;
};

Widened widen_all(SmoothCriterion& criterion, const Family& family, const SearchOutcome& tied,
                  const SearchSpace& tied_space, const MaximumOptions& options) {
  SearchSpace space(family, criterion.nuisance());
  space.set_nuisance_offset(tied.best.nuisance_offset);
  const Place place = tied_space.to_place(tied.best.point);
  Widened result{space, widen(criterion, space, {.start = place.start}, place.nuisance, options)};
  // Directions that the data cannot tell apart are walked back to where the layers are most alike.
  const Certainty certainty = certainty_at(criterion, space, result.maximum, nullptr);
  const Point nearest = nearest_to_tied(space, result.maximum, certainty.flat);
  const Place there = space.to_place(nearest);
  const double value = criterion.evaluate(there.start, there.nuisance, nullptr);
  if (value >= result.maximum.value - options.tolerance / criterion.values()) {
    Slopes slopes;
    result.maximum.point = nearest;
    result.maximum.value = criterion.evaluate(there.start, there.nuisance, &slopes);
    result.maximum.score = criterion.score_at(there.start, there.nuisance);
  }
  return result;
}

}  // namespace

Recommendation recommend_continuous(const PreparedData& data, const NetworkSpec& network,
                                    const RecommendOptions& options, const RunContext& context) {
  const Stopwatch watch;
  const ContinuousSearch& continuous = std::get<ContinuousSearch>(options.search);
  const MaximumOptions settings{continuous.tolerance, data.seed};
  const Family tied = Family::tied(network, options.weight_bounds, options.bias_bounds);
  const auto meter = std::make_shared<WorkMeter>();
  Searched sample = choose_sample(data, network, options, tied, settings, meter, context);
  const PreparedData& used = sample.rows->data();
  meter->begin_stage(context, fmt::format("search at {} samples", used.train.size()));
  MaximumSearch search(*sample.criterion, tied, settings);
  SearchOutcome outcome = sample.grown ? search.warm(sample.grown->maximum) : search.cold();

  ContinuousTrace trace;
  trace.optima = outcome.optima;
  trace.starts = sample.grown ? sample.grown->starts : outcome.starts;
  if (sample.grown) {
    trace.optima.insert(trace.optima.end(), sample.grown->other_optima.begin(), sample.grown->other_optima.end());
    trace.growth = std::move(sample.grown->growth);
  }
  Recommendation result;
  SearchSpace space = search.space();
  Maximum maximum = outcome.best;
  if (options.family != FamilyKind::tied) {
    meter->begin_stage(context, "search in every layer");
    Widened wide = widen_all(*sample.criterion, family_of(network, options), outcome, space, settings);
    space = std::move(wide.space);
    maximum = std::move(wide.maximum);
    outcome.ray = nullptr;
  }
  result.cost = meter->cost(used.train.size());
  result.search_seconds = watch.seconds();
  meter->begin_stage(context, "intervals and baselines");
  Certainty certainty = certainty_at(*sample.criterion, space, maximum, outcome.ray.get());
  if (outcome.ray) sample.criterion->keep(std::move(outcome.ray));
  result.baselines = baselines_of(network, used.features(), used.outputs());
  bool moved = false;
  for (Candidate& baseline : result.baselines) {
    baseline.set(options.criterion, sample.rows->criterion().judge_in_full(baseline.start, context));
    meter->step();
    // A maximum below a baseline that the family has is none.
    const Score& score = *baseline.find(options.criterion);
    if (!score.ok() || !(score.value() > maximum.score.value() + settings.tolerance)) continue;
    const Place place{baseline.start, sample.criterion->best_nuisance(baseline.start).value()};
    auto higher = climb_if_higher(*sample.criterion, space, place, maximum, settings);
    if (!higher) continue;
    maximum = *std::move(higher);
    trace.optima.insert(trace.optima.begin(), {{.start = space.to_place(maximum.point).start}, used.train.size()});
    trace.optima.front().candidate.set(options.criterion, maximum.score);
    moved = true;
  }
  if (moved) certainty = certainty_at(*sample.criterion, space, maximum, nullptr);
  result.chosen = {.start = space.to_place(maximum.point).start};
  result.chosen.set(options.criterion, maximum.score);
  trace.converged = maximum.converged;
  trace.estimates = std::move(certainty.estimates);
  trace.flat_directions = std::move(certainty.flat_directions);
  result.at_bound = std::move(certainty.at_bound);
  if (const auto* evidence = dynamic_cast<const EvidenceCriterion*>(&sample.rows->criterion())) {
    result.gram_held = evidence->holds_gram();
  }
  if (continuous.surface && result.chosen.start.pair()) {
    trace.surface = evidence_surface(used, network, result.chosen, options.evidence, context);
  }
  result.data = summarize(used);
  result.network = network;
  result.criterion = options.criterion;
  result.family = options.family;
  result.noise_fitted = options.noise.kind == NoiseChoice::Kind::fitted;
  result.found = std::move(trace);
  return result;
}

}  // namespace priorfit::internal

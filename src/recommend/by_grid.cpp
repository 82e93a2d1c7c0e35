// The best cell of a grid, and for criteria without a gradient the best point near it.
#include <algorithm>

#include "criteria/evidence_criterion.hpp"
#include "recommend/parts.hpp"
#include "search/grid.hpp"
#include "support/stopwatch.hpp"

namespace priorfit::internal {
namespace {

/// The cell that is this very start; none in a family whose cells have an output layer of their own.
const Candidate* find_cell(const GridTrace& trace, const Candidate& candidate) {
  if (!trace.grid.output_weight_variances.empty()) return nullptr;
  const std::vector<Candidate>& cells = trace.cells;
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](const Candidate& cell) { return cell.start.layers == candidate.start.layers; });
  return found == cells.end() ? nullptr : &*found;
}

/// All rows where that was asked for, or where they are few; else as many as the criterion, or a prediction of
/// training, takes.
Index rows_for(const PreparedData& data, const RecommendOptions& options) {
  const CriterionInfo& info = find_criterion(options.criterion);
  const Index rows = data.train.size();
  if (info.most_rows) return std::min(rows, std::max<Index>(2, info.most_rows(criterion_options(options))));
  if (options.rows_used_whole == 0 || rows <= options.rows_used_whole) return rows;
  return info.has_gradient ? std::min(rows, std::max<Index>(2, options.risk_samples)) : options.rows_used_whole;
}

/// The one that scores best, whatever the criterion's rule prefers.
const Candidate& best_score(const std::vector<Candidate>& candidates, const Criterion& criterion) {
  return candidates[criterion.Criterion::prefer(candidates)];
}

}  // namespace

Recommendation recommend_from_grid(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& asked,
                                   const RunContext& context) {
  RecommendOptions options = asked;
  const Stopwatch watch;
  GridTrace trace{.grid = std::get<GridSearch>(options.search), .cells = {}};
  trace.cells = grid_cells(network, trace.grid);
  Recommendation result;
  result.baselines = baselines_of(network, data.features(), data.outputs());
  std::size_t total = trace.cells.size();
  for (const Candidate& baseline : result.baselines) total += find_cell(trace, baseline) ? 0 : 1;
  // With two cells, holding X Xᵀ would save one product (3d/N of a factorisation) for twice the memory.
  if (total <= 2 && options.evidence.gram == GramStorage::automatic) options.evidence.gram = GramStorage::recomputed;

  JudgedRows rows(data, rows_for(data, options), data.seed, network, options, options.criterion);
  Criterion& criterion = rows.criterion();
  StepCounter counter(context, total, "cells");
  judge_cells(trace.cells, criterion, context, counter);
  for (Candidate& baseline : result.baselines) {
    const Candidate* cell = find_cell(trace, baseline);
    baseline.set(criterion.name(),
                 cell ? *cell->find(criterion.name()) : criterion.judge_in_full(baseline.start, context));
    if (!cell) counter.step();
  }
  std::vector<Candidate> candidates = trace.cells;
  SmoothCriterion* smooth = criterion.smooth();
  if (!smooth) {
    candidates.push_back(refine(criterion, family_of(network, options), best_score(trace.cells, criterion), context));
  }
  const std::size_t chosen = criterion.prefer(candidates);
  if (chosen < trace.cells.size()) {
    Candidate& cell = trace.cells[chosen];
    trace.best = static_cast<Index>(chosen);
    if (smooth) {
      cell.set(criterion.name(), criterion.judge_in_full(cell.start, context));
      result.at_bound = edges_of(cell, trace.grid);
    }
    result.chosen = cell;
  } else {
    result.chosen = candidates[chosen];
  }
  const Candidate& least = best_score(candidates, criterion);
  if (!(least.start == result.chosen.start)) trace.least = least;
  if (smooth) result.cost = smooth->meter().cost(rows.data().train.size());
  if (const auto* evidence = dynamic_cast<const EvidenceCriterion*>(&criterion))
    result.gram_held = evidence->holds_gram();
  result.search_seconds = watch.seconds();
  result.data = summarize(rows.data());
  result.network = network;
  result.criterion = options.criterion;
  result.family = options.family;
  result.rule = criterion.rule();
  result.noise_fitted = options.noise.kind == NoiseChoice::Kind::fitted;
  if (options.criterion == "trained-risk") result.risk_samples = rows.data().train.size();
  result.found = std::move(trace);
  return result;
}

}  // namespace priorfit::internal

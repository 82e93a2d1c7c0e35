#include <fmt/format.h>

#include <algorithm>

#include "priorfit/error.hpp"
#include "recommend/parts.hpp"

namespace priorfit {
namespace {

// Up to this size the best cell's and the baselines' leave-one-out densities are computed without being asked for: each
// doubles its cell's time.
constexpr Index samples_for_leave_one_out = 10000;

class CellCounter {
 public:
  CellCounter(const RecommendOptions& options, std::size_t total) : options_(options), total_(total) {}
  void step() {
    ++done_;
    const RecommendProgress progress{static_cast<double>(done_) / static_cast<double>(total_),
                                     fmt::format("{} of {} cells", done_, total_)};
    if (options_.progress && !options_.progress(progress)) {
      throw Error(ErrorKind::interrupted, fmt::format("interrupted after {}", progress.stage));
    }
  }

 private:
  const RecommendOptions& options_;
  std::size_t done_ = 0, total_;
};

const EvidenceCell* find_cell(const std::vector<EvidenceCell>& grid, const LayerPrior& prior) {
  const auto found =
      std::find_if(grid.begin(), grid.end(), [&](const EvidenceCell& cell) { return cell.prior == prior; });
  return found == grid.end() ? nullptr : &*found;
}

/// The grid's cells, ordered so that those of one ratio of the variances follow each other and share a reduction.
std::vector<std::size_t> by_ratio(const std::vector<EvidenceCell>& grid) {
  std::vector<std::size_t> order(grid.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto ratio = [&](std::size_t i) { return grid[i].prior.bias_variance / grid[i].prior.weight_variance; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ratio(a) < ratio(b); });
  return order;
}

Index best_cell(const std::vector<EvidenceCell>& grid) {
  Index best = -1;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (!grid[i].evidence.ok()) continue;
    if (best < 0 || grid[i].evidence.log_marginal_likelihood >
                        grid[static_cast<std::size_t>(best)].evidence.log_marginal_likelihood) {
      best = static_cast<Index>(i);
    }
  }
  if (best < 0) {
    const bool noise_helps = std::any_of(grid.begin(), grid.end(), [](const EvidenceCell& cell) {
      return cell.evidence.status == EvidenceStatus::not_positive_definite;
    });
    throw Error(ErrorKind::numerical,
                fmt::format("no cell of the grid could be factored; the first: {}{}", grid.front().evidence.remark(),
                            noise_helps ? ". A larger --noise helps" : ""));
  }
  return best;
}

void add_edge(std::vector<BoundReached>& edges, Parameter parameter, double value, const std::vector<double>& list) {
  if (list.size() < 2) return;
  if (value == list.front()) {
    edges.push_back({parameter, false, parameter == Parameter::bias_variance && value == 0});
  }
  if (value == list.back()) edges.push_back({parameter, true, false});
}

}  // namespace

Recommendation recommend_from_grid(const PreparedData& data, const NetworkSpec& network,
                                   const RecommendOptions& asked) {
  RecommendOptions options = asked;
  const bool predicts = options.criterion == Criterion::trained_risk || !options.output_weight_variances.empty();
  const RecommendOptions usual = predicts ? RecommendOptions::risk_grid() : RecommendOptions::paper_grid();
  if (options.weight_variances.empty()) options.weight_variances = usual.weight_variances;
  if (options.bias_variances.empty()) options.bias_variances = usual.bias_variances;

  Recommendation result;
  result.weight_variances = options.weight_variances;
  result.bias_variances = options.bias_variances;
  result.output_weight_variances = options.output_weight_variances;
  result.noise_fitted = !options.noise_variance;
  for (const double weight : options.weight_variances) {
    for (const double bias : options.bias_variances) {
      if (options.output_weight_variances.empty()) result.grid.push_back({{weight, bias}, {}});
      for (const double output : options.output_weight_variances) result.grid.push_back({{weight, bias, output}, {}});
    }
  }
  result.baselines = baseline_priors(network, data.features(), data.outputs());
  std::size_t total = result.grid.size();
  for (const Baseline& baseline : result.baselines) {
    total += baseline.is_pair && find_cell(result.grid, baseline.cell.prior) ? 0 : 1;
  }
  CellCounter counter(options, total);
  RecommendOptions silent = options;  // the cells are the steps
  silent.progress = {};
  // With two cells, holding X Xᵀ would save one product (3d/N of a factorisation) for twice the memory.
  if (total <= 2 && silent.evidence.gram == GramStorage::automatic) silent.evidence.gram = GramStorage::recomputed;
  CostMeter meter(silent);
  const SearchSpace space(silent);
  EvidenceObjective objective(data.train.inputs, data.train.targets, network, space, silent, meter);
  EvidenceEngine& engine = objective.engine();
  NoiseFit noise(objective, space);

  const auto fill = [&](EvidenceCell& cell, const std::vector<LayerPrior>& layers, bool is_pair, bool leave_one_out) {
    const double best =
        (is_pair ? noise.best_noise(cell.prior) : noise.best_noise(layers)).value_or(options.noise_bounds.upper);
    meter.factorization(data.train.size());
    cell.evidence = leave_one_out ? engine.evaluate_with_leave_one_out(layers, best) : engine.evaluate(layers, best);
    counter.step();
  };
  const bool cheap = data.train.size() <= samples_for_leave_one_out;
  for (const std::size_t i : by_ratio(result.grid)) {
    EvidenceCell& cell = result.grid[i];
    fill(cell, layer_priors(cell.prior, network), true, options.leave_one_out);
  }
  for (Baseline& baseline : result.baselines) {
    const EvidenceCell* cell = baseline.is_pair ? find_cell(result.grid, baseline.cell.prior) : nullptr;
    if (cell) {
      baseline.cell = *cell;
    } else {
      fill(baseline.cell, baseline.layers, baseline.is_pair, options.leave_one_out || cheap);
    }
  }
  result.best_cell = best_cell(result.grid);
  EvidenceCell& best = result.grid[static_cast<std::size_t>(result.best_cell)];
  if (cheap && !options.leave_one_out) {
    best.evidence = engine.evaluate_with_leave_one_out(best.prior, best.evidence.noise_variance);
  }
  result.recommended = best;
  result.cost = meter.cost(data.train.size());
  add_edge(result.at_bound, Parameter::weight_variance, best.prior.weight_variance, options.weight_variances);
  add_edge(result.at_bound, Parameter::bias_variance, best.prior.bias_variance, options.bias_variances);
  result.gram_held = engine.holds_gram();
  return result;
}

}  // namespace priorfit

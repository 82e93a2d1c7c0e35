#include "priorfit/recommend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit {
namespace {

struct NamedPrior {
  const char* name;
  Prior prior;
};

// M6. Glorot's variance differs from layer to layer, so it is no point of this grid.
constexpr NamedPrior baseline_priors[] = {{"He", {2.0, 0.0}}, {"LeCun", {1.0, 0.0}}};

void check_list(const char* name, const std::vector<double>& values, double least, bool least_allowed) {
  if (values.empty()) throw Error(ErrorKind::usage, fmt::format("{} is empty", name));
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

class CellCounter {
 public:
  CellCounter(const RecommendOptions& options, std::size_t total) : options_(options) {
    progress_.total = static_cast<Index>(total);
  }
  void step() {
    ++progress_.done;
    if (options_.progress && !options_.progress(progress_)) {
      throw Error(ErrorKind::interrupted,
                  fmt::format("interrupted after {} of {} cells", progress_.done, progress_.total));
    }
  }

 private:
  const RecommendOptions& options_;
  RecommendProgress progress_;
};

const EvidenceCell* find_cell(const std::vector<EvidenceCell>& grid, const Prior& prior) {
  for (const EvidenceCell& cell : grid) {
    if (cell.prior.weight_variance == prior.weight_variance && cell.prior.bias_variance == prior.bias_variance) {
      return &cell;
    }
  }
  return nullptr;
}

std::vector<Prior> grid_priors(const RecommendOptions& options) {
  std::vector<Prior> priors;
  for (const double weight : options.weight_variances) {
    for (const double bias : options.bias_variances) priors.push_back({weight, bias});
  }
  return priors;
}

bool is_on_grid(const std::vector<Prior>& priors, const Prior& prior) {
  return std::any_of(priors.begin(), priors.end(), [&](const Prior& p) {
    return p.weight_variance == prior.weight_variance && p.bias_variance == prior.bias_variance;
  });
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
    throw Error(ErrorKind::numerical,
                fmt::format("no cell of the grid could be factored; the first: {}. A larger --noise helps",
                            grid.front().evidence.remark()));
  }
  return best;
}

void add_edge(std::vector<GridEdge>& edges, const char* parameter, double value, const std::vector<double>& list,
              double natural_bound) {
  if (list.size() < 2) return;
  if (value == list.front()) edges.push_back({parameter, false, value == natural_bound});
  if (value == list.back()) edges.push_back({parameter, true, false});
}

}  // namespace

void RecommendOptions::validate() const {
  check_list("weight_variances", weight_variances, 0.0, false);
  check_list("bias_variances", bias_variances, 0.0, true);
  if (!(std::isfinite(noise_variance) && noise_variance >= 0)) {
    throw Error(ErrorKind::usage,
                fmt::format("noise_variance is {}: it must be finite and at least 0", noise_variance));
  }
  if (threads < 0) throw Error(ErrorKind::usage, fmt::format("threads is {}: it must be at least 0", threads));
  evidence.validate();
}

double Recommendation::gain_over(const Baseline& baseline) const {
  return best().evidence.log_marginal_likelihood - baseline.cell.evidence.log_marginal_likelihood;
}

Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options) {
  options.validate();
  network.validate();
  const ThreadScope threads(options.threads);
  const auto start = std::chrono::steady_clock::now();

  const std::vector<Prior> priors = grid_priors(options);
  const auto extra = std::count_if(std::begin(baseline_priors), std::end(baseline_priors),
                                   [&](const NamedPrior& b) { return !is_on_grid(priors, b.prior); });
  const std::size_t cells = priors.size() + static_cast<std::size_t>(extra);
  CellCounter counter(options, cells);

  EvidenceOptions evidence_options = options.evidence;
  // With two cells, holding X Xᵀ would save one product (3d/N of a factorisation) for twice the memory.
  if (cells <= 2 && evidence_options.gram == GramStorage::automatic) evidence_options.gram = GramStorage::recomputed;
  EvidenceEngine engine(data.train.inputs, data.train.targets, network, evidence_options);
  const auto evaluate = [&](const Prior& prior) {
    EvidenceCell cell{prior, engine.evaluate(prior, options.noise_variance)};
    counter.step();
    return cell;
  };

  Recommendation result;
  result.data = summarize(data);
  result.network = network;
  result.weight_variances = options.weight_variances;
  result.bias_variances = options.bias_variances;
  result.noise_variance = options.noise_variance;
  result.gram_held = engine.holds_gram();
  for (const Prior& prior : priors) result.grid.push_back(evaluate(prior));
  for (const NamedPrior& baseline : baseline_priors) {
    const EvidenceCell* cell = find_cell(result.grid, baseline.prior);
    result.baselines.push_back({baseline.name, cell ? *cell : evaluate(baseline.prior)});
  }
  result.best_cell = best_cell(result.grid);
  const Prior& best = result.best().prior;
  add_edge(result.at_bound, "weight_variance", best.weight_variance, options.weight_variances, 0.0);
  add_edge(result.at_bound, "bias_variance", best.bias_variance, options.bias_variances, 0.0);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.peak_bytes = peak_memory();
  return result;
}

}  // namespace priorfit

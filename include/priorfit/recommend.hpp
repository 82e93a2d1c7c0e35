// The main job: which (σ_w², σ_b²) explains the data best, and by how much.
//
//     PreparedData data = prepare(load_dataset({.source = "digits"}), {});
//     Recommendation answer = recommend(data, NetworkSpec::uniform(1), {});
//     std::puts(to_table(answer).c_str());
//     Prior prior = answer.best().prior;
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "priorfit/dataset.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

struct EvidenceCell {
  Prior prior;
  Evidence evidence;
};

struct Baseline {
  std::string name;  // "He", "LeCun"
  EvidenceCell cell;
};

/// A parameter whose best value is the first or last of its list, so that a better one may lie outside.
struct GridEdge {
  std::string parameter;  // "weight_variance" or "bias_variance"
  bool upper = false;
  bool natural = false;   // the bound is a limit of the model (σ_b² = 0): nothing lies beyond it
};

struct RecommendProgress {
  Index done = 0;  // cells
  Index total = 0;
};

struct RecommendOptions {
  // Each list: not empty, ascending, without repetition.
  std::vector<double> weight_variances = {0.4, 1.2, 2.0, 2.8, 3.6};  // > 0; the paper's grid
  std::vector<double> bias_variances = {0.0, 1.0, 2.0};              // >= 0
  double noise_variance = 1e-6;                                      // >= 0
  EvidenceOptions evidence = {};
  int threads = 0;  // 0: all cores
  std::function<bool(const RecommendProgress&)> progress = {};  // called after each cell; false cancels

  void validate() const;
};

struct Recommendation {
  DataSummary data;
  NetworkSpec network;
  std::vector<double> weight_variances;
  std::vector<double> bias_variances;
  double noise_variance = 0.0;
  std::vector<EvidenceCell> grid;  // weight_variances × bias_variances, the latter running fastest
  Index best_cell = 0;             // index into grid
  std::vector<Baseline> baselines;
  std::vector<GridEdge> at_bound;
  std::string command;  // that made it; empty for a library call
  bool gram_held = false;
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;

  const EvidenceCell& best() const { return grid[static_cast<std::size_t>(best_cell)]; }
  /// Nats by which the best cell exceeds a baseline; NaN when that one could not be factored.
  double gain_over(const Baseline& baseline) const;
};

/// Throws Error(numerical) when no cell could be factored, Error(interrupted) when the progress callback cancels.
Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options);

/// Lines to paste that draw initial parameters from a prior.
struct PasteLines {
  std::string pytorch;
  std::string keras;
  std::string flax;
};
PasteLines paste_lines(const Prior& prior);

std::string to_table(const Recommendation& recommendation);
std::string to_markdown(const Recommendation& recommendation);
std::string to_csv(const Recommendation& recommendation);
std::string to_json(const Recommendation& recommendation);  // schema priorfit.recommendation/1

}  // namespace priorfit

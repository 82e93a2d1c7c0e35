// The main job: which initialisation is best for the data, by how much, and how firmly.
//
//     PreparedData data = prepare(load_dataset({.source = "digits"}), {});
//     Recommendation answer = recommend(data, NetworkSpec::uniform(1), {});   // the evidence's maximum, noise fitted
//     std::puts(to_table(answer).c_str());
//     Initialisation start = answer.chosen.start;
//
//     recommend(data, NetworkSpec::uniform(1), RecommendOptions::paper_grid());                      // a grid's best
//     cell recommend(data, NetworkSpec::uniform(3), {.family = FamilyKind::per_layer});                   // a pair per
//     layer recommend(data, NetworkSpec::uniform(1), {.criterion = "trained-risk"}, {.threads = 1});
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/search.hpp"

namespace priorfit {

/// Continuous where criterion and family allow it, a grid otherwise.
struct AutomaticSearch {
  bool surface = false;  // as in ContinuousSearch, where that is what is done
};

struct RecommendOptions {
  std::string criterion = "evidence";  // a name of known_criteria()
  // Further criteria that judge what is recommended and what it is compared with. Empty: trained-risk beside the
  // evidence, nothing beside others.
  std::optional<std::vector<std::string>> also = {};
  FamilyKind family = FamilyKind::tied;
  std::variant<AutomaticSearch, ContinuousSearch, GridSearch> search = {};
  NoiseChoice noise = {};
  Bounds weight_bounds = {0.01, 10.0};  // 0 < lower < upper
  Bounds bias_bounds = {0.0, 4.0};      // 0 <= lower < upper
  // Up to this many rows all are used. Above it a continuous search grows its sample and a grid is searched on as many
  // rows as a prediction of training takes; a grid of the evidence that is named takes all. 0: always all.
  Index rows_used_whole = 2000;
  GrowthOptions growth = {};
  TrainedRiskOptions risk = {};
  Index risk_samples = 1000;  // at most so many samples are used to predict what training does; 0: it is not predicted
  EvidenceOptions evidence = {};

  /// σ_w² ∈ {0.4, 1.2, 2, 2.8, 3.6} × σ_b² ∈ {0, 1, 2} at noise 1e-6.
  static RecommendOptions paper_grid();
  /// σ_w² ∈ {0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4} × σ_b² ∈ {0, 0.1, 1}, and {0.001, 0.01, 0.1, 1} for an output of its own.
  static GridSearch usual_grid(FamilyKind family);

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;
};

struct EvidenceSurface {
  std::vector<double> weight_variances;
  std::vector<double> bias_variances;
  double noise_variance = 0.0;
  Index samples = 0;
  Matrix log_marginal_likelihood;  // weight_variances × bias_variances, NaN where it could not be factored
};

/// How a grid was searched.
struct GridTrace {
  GridSearch grid;                      // with what was empty filled in
  std::vector<Candidate> cells;         // weight × bias × output variances, the last fastest
  std::optional<Index> best = {};       // of `cells`; empty when what is recommended lies between cells
  std::optional<Candidate> least = {};  // the best score, where the criterion's rule prefers another
};

/// How a continuous maximum was found.
struct ContinuousTrace {
  std::vector<Estimate> estimates;           // of the family's coordinates and the noise
  std::vector<std::string> flat_directions;  // combinations that the data cannot tell apart, in words
  std::vector<LocalOptimum> optima;          // distinct local maxima, the best first
  Index starts = 0;                          // local searches
  bool converged = true;                     // false: the last local search ended by its limit of evaluations
  std::optional<Growth> growth = {};
  std::optional<EvidenceSurface> surface = {};
};

struct Recommendation {
  DataSummary data;
  NetworkSpec network;
  std::string criterion;
  FamilyKind family = FamilyKind::tied;
  Candidate chosen;
  std::vector<Candidate>
      baselines;  // He, LeCun, Keras's and PyTorch's defaults; each at its own best noise when it is fitted
  std::vector<BoundReached> at_bound;
  std::variant<GridTrace, ContinuousTrace> found;

  SearchCost cost;  // of the search: without intervals and baselines of a continuous one
  double search_seconds = 0.0;
  std::string rule;  // of the criterion, in words; empty: the best score
  bool noise_fitted = false;
  TrainedRiskOptions risk_options;
  Index risk_samples = 0;  // what training does was predicted with; 0: it was not

  std::string command;  // that made it; empty for a library call
  std::map<std::string, std::string>
      argument_names;  // what the caller calls the arguments, for sentences; empty: as here
  bool gram_held = false;
  int threads = 0;
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;

  const Candidate& best() const { return chosen; }
  const GridTrace* grid() const { return std::get_if<GridTrace>(&found); }
  const ContinuousTrace* continuous() const { return std::get_if<ContinuousTrace>(&found); }
  /// Nats by which the recommended start exceeds another; empty where either evidence is missing.
  std::optional<double> gain_over(const Candidate& other) const;
};

/// Throws Error(numerical) when nothing could be judged, Error(interrupted) when the context cancels.
Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                         const RunContext& context = {});

/// Lines to paste that draw initial parameters.
struct PasteLines {
  std::string pytorch;
  std::string keras;
  std::string flax;
};
PasteLines paste_lines(const Initialisation& start);

/// Every sentence about a recommendation, once: what the terminal prints, the JSON carries and the page shows.
struct Sentence {
  std::string
      kind;  // "answer", "rule", "certainty", "bound", "flat", "baseline", "disagreement", "search", "growth", …
  std::string text;
};
std::vector<Sentence> sentences(const Recommendation& recommendation);

std::string to_table(const Recommendation& recommendation);
std::string to_markdown(const Recommendation& recommendation);
std::string to_csv(const Recommendation& recommendation);
std::string to_json(const Recommendation& recommendation);  // schema priorfit.recommendation/1

}  // namespace priorfit

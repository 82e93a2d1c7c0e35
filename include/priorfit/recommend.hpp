// The main job: keep the initialisation in use or change it, by how much, how surely.
//
//     PreparedData data = prepare(load_dataset({.source = "digits"}), {});
//     Recommendation answer = recommend(data, NetworkSpec::uniform(1), {});   // theory chooses, pilots confirm
//     std::puts(to_table(answer).c_str());
//     answer.advice->verdict.action;                                          // keep or change
//     Initialisation start = answer.chosen.start;                             // what to train from
//
//     NetworkSpec deep = NetworkSpec::uniform(3);
//     recommend(data, deep, RecommendOptions::paper_grid());                  // the paper's criterion on its grid
//     recommend(data, deep, {.criterion = "evidence"});                       // its maximum, noise fitted
//     recommend(data, deep, {.family = FamilyKind::per_layer});               // likewise, a pair per layer
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/pilots.hpp"
#include "priorfit/search.hpp"

namespace priorfit {

/// Continuous where criterion and family allow it, a grid otherwise.
struct AutomaticSearch {
  bool surface = false;  // as in ContinuousSearch, where that is what is done
};

/// What would be used otherwise, and so what a recommendation is compared with.
struct CurrentStart {
  std::optional<InitialScheme> scheme = InitialScheme::pytorch;  // empty: the variances below
  LayerPrior pair = {};
  std::optional<double> output_weight_variance = {};  // empty: the same as `pair`

  Initialisation start(const NetworkSpec& network, Index features, Index outputs) const;
  void validate() const;
};

struct RecommendOptions {
  // A name of known_criteria(), or "auto": evidence and trained-risk judge many starts, and pilots decide whether the
  // best is worth a change. Where a search, a family or a noise is asked for that only the evidence has, "auto" is the
  // evidence.
  std::string criterion = "auto";
  CurrentStart current = {};
  PilotOptions pilots = {};  // and what is trained: loss, optimiser, epochs
  // With "auto", told what theory alone says, before pilots are trained.
  std::function<void(const std::string& sentence)> on_theory = {};
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

/// Whose lines to paste are shown.
enum class Framework { torch, keras, flax, none };
std::string_view to_string(Framework framework);
Framework parse_framework(std::string_view name);        // throws Error(usage) with the nearest match
Framework usual_framework(const CurrentStart& current);  // whose users start from it

/// Keep what is in use, or change it.
struct Verdict {
  enum class Action { keep, change };

  Action action = Action::keep;
  std::string metric;                              // "accuracy" or "rmse"
  bool measured = false;                           // by pilots; else predicted by theory
  std::optional<double> current_value = {};        // of the metric, in the target's own units
  std::optional<double> recommended_value = {};    // of the best other start, also where the action is to keep
  std::optional<double> gain = {};                 // of that one over the current: > 0 is better
  std::optional<double> gain_standard_error = {};  // over other draws of rows and seeds
  std::optional<Interval> gain_interval = {};      // 95 %
  bool flat = false;                               // many starts are as good
  bool current_fails = false;                      // training from the current start diverged
};

std::string_view to_string(Verdict::Action action);

/// How "auto" came to its answer.
struct Advice {
  Verdict verdict;
  TrainOptions training;  // that the answer is for, with loss and learning rate decided
  // All starts that were judged: first the one in use, then usual ones, simple before others.
  std::vector<Candidate> starts;
  std::vector<std::string> names;  // of `starts`: "PyTorch's default", "(1, 0.1, output 0.01)", …
  std::size_t finalist = 0;        // of `starts`: the best that is not the one in use
  std::size_t by_evidence = 0;     // of `starts`: the evidence's maximum
  bool theory_applies = true;      // false: layers too narrow for the prediction of training
  std::optional<PilotStudy> pilots = {};
  std::optional<double> largest_stable_rate = {};  // of gradient descent with all rows on squared error, from what is
                                                   // recommended; widths of 512 and more
  std::vector<std::size_t> as_good = {};           // of `starts`: as good as the best, as far as was seen
  std::vector<std::string> cautions = {};          // what in the data weakens the answer

  const Candidate& current() const { return starts.front(); }
  const Candidate& best_other() const { return starts[finalist]; }
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
  std::variant<GridTrace, ContinuousTrace> found;  // with "auto": how the evidence's maximum was found
  std::optional<Advice> advice = {};               // with "auto"

  SearchCost cost;  // of the search: without intervals and baselines of a continuous one
  double search_seconds = 0.0;
  std::string rule;  // of the criterion, in words; empty: the best score
  bool noise_fitted = false;
  TrainedRiskOptions risk_options;
  Index risk_samples = 0;  // what training does was predicted with; 0: it was not

  std::string command;  // that made it; empty for a library call
  std::map<std::string, std::string>
      argument_names;                      // what the caller calls the arguments, for sentences; empty: as here
  double target_scale = 1.0;               // of a number to be predicted: what errors are multiplied by
  Framework framework = Framework::torch;  // whose lines to_table() shows
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
/// Of what is recommended, after a comment that says which data, network, training and preparation it holds for.
PasteLines paste_lines(const Recommendation& answer);

/// Every sentence about a recommendation, once: what the terminal prints, the JSON carries and the page shows.
struct Sentence {
  std::string
      kind;  // "answer", "rule", "certainty", "bound", "flat", "baseline", "disagreement", "search", "growth", …
  std::string text;
};
std::vector<Sentence> sentences(const Recommendation& recommendation);

std::string to_table(const Recommendation& recommendation);
/// Everything that is known, where to_table() gives an answer in a few lines.
std::string to_details(const Recommendation& recommendation);
std::string to_markdown(const Recommendation& recommendation);
std::string to_markdown_details(const Recommendation& recommendation);
std::string to_csv(const Recommendation& recommendation);
std::string to_json(const Recommendation& recommendation);  // schema priorfit.recommendation/1

}  // namespace priorfit

// The main job: which (σ_w², σ_b²) explains the data best, by how much, and how firmly.
//
//     PreparedData data = prepare(load_dataset({.source = "digits"}), {});
//     Recommendation answer = recommend(data, NetworkSpec::uniform(1), {});       // the maximum itself, noise fitted
//     std::puts(to_table(answer).c_str());
//     LayerPrior prior = answer.best().prior;
//
//     recommend(data, NetworkSpec::uniform(1), RecommendOptions::paper_grid());   // the best cell of a grid
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/dataset.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/network.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit {

/// What a recommendation goes by.
enum class Criterion {
  evidence,      // how well the prior explains the data
  trained_risk,  // how well a network trained from it is predicted to do
};

std::string_view to_string(Criterion criterion);
Criterion parse_criterion(std::string_view name);  // throws Error(usage) with the nearest match

struct EvidenceCell {
  LayerPrior prior;
  Evidence evidence;
  std::optional<TrainedRisk> risk = {};  // where it was asked for
};

struct Baseline {
  std::string name;   // "He", "LeCun", "Glorot" (Keras's default), "PyTorch" (its default)
  EvidenceCell cell;  // Glorot: the tied weight variance that gives the same covariance, where there is one
  std::vector<double> layer_weight_variances = {};  // of an initialisation that differs from layer to layer
  std::vector<LayerPrior> layers = {};              // depth + 1
  bool is_pair = true;                              // whether cell.prior says it all, to the evidence
};

/// The three parameters of the model, in this order wherever they form an array.
enum class Parameter { weight_variance, bias_variance, noise_variance };
std::string_view to_string(Parameter parameter);

/// A parameter whose best value is the first or last allowed, so that a better one may lie outside.
struct BoundReached {
  Parameter parameter = Parameter::weight_variance;
  bool upper = false;
  bool natural = false;              // the bound is a limit of the model (σ_b² = 0): nothing lies beyond it
  std::optional<double> slope = {};  // nats per unit of the parameter there; empty for a grid, where it is not known
};

struct Bounds {
  double lower = 0.0;
  double upper = 0.0;
};

struct RecommendProgress {
  std::optional<double> fraction =
      {};             // of the whole, in [0, 1]; empty for the continuous search, whose end is not known
  std::string stage;  // such as "3 of 16 cells"
};

/// Samples of growing size until the recommended pair stays where it is.
struct GrowthOptions {
  Index first_size = 500;  // doubled from step to step; >= 2
  Index subsets = 3;       // drawn at each size; >= 1
  double tolerance = 0.1;  // settled when |Δ log σ_w²| and |Δ log(σ_b² + 0.01)| <= this between sizes and subsets
  double time_limit = 60.0;  // seconds; a size that would likely exceed it is not begun

  void validate() const;
};

struct RecommendOptions {
  // A grid when one of these is not empty (the other is then the paper's); the continuous maximum otherwise.
  // Each list: ascending, without repetition.
  std::vector<double> weight_variances = {};  // > 0
  std::vector<double> bias_variances = {};    // >= 0
  std::optional<double> noise_variance = {};  // >= 0; empty: fitted within noise_bounds, in a grid for each cell
  Bounds weight_bounds = {0.01, 10.0};        // 0 < lower < upper
  Bounds bias_bounds = {0.0, 4.0};            // 0 <= lower < upper
  Bounds noise_bounds = {1e-8, 1.0};          // 0 < lower < upper
  double tolerance = 0.01;                    // nats that may be missing to the maximum, as the curvature tells; > 0
  std::optional<GrowthOptions> growth = {};   // empty: all of the data at once; continuous search only
  bool surface = false;                       // the 40 × 40 surface around the maximum; continuous search only
  bool leave_one_out = false;                 // for every cell of a grid, not only the best and the baselines
  Criterion criterion = Criterion::evidence;  // trained_risk takes the grid of risk_grid() unless another is given
  TrainedRiskOptions risk = {};
  Index risk_samples = 1000;  // at most so many samples are used to predict what training does; 0: it is not predicted
  // A third direction of the grid: the output layer's own weight variance; each > 0. Not empty: a grid is searched.
  std::vector<double> output_weight_variances = {};
  EvidenceOptions evidence = {};
  int threads = 0;                                              // 0: all cores
  std::function<bool(const RecommendProgress&)> progress = {};  // called after each evaluation; false cancels

  /// σ_w² ∈ {0.4, 1.2, 2, 2.8, 3.6} × σ_b² ∈ {0, 1, 2} at noise 1e-6.
  static RecommendOptions paper_grid();
  /// σ_w² ∈ {0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4} × σ_b² ∈ {0, 0.1, 1}.
  static RecommendOptions risk_grid();
  bool is_grid() const {
    return !weight_variances.empty() || !bias_variances.empty() || !output_weight_variances.empty() ||
           criterion == Criterion::trained_risk;
  }
  void validate() const;
};

/// What a search cost. One equivalent: the time of one Cholesky factorisation of the whole sample.
struct SearchCost {
  Index factorizations = 0;  // of any size
  Index gradients = 0;
  Index reductions = 0;      // EvidenceEngine::profile
  double equivalents = 0.0;  // each in proportion to the cube of its size; a gradient 2.5 on top, a reduction 5
};

struct LocalOptimum {
  EvidenceCell cell;
  Index samples = 0;  // it was found at
};

/// 95 % from the curvature at the maximum, in the logarithms, the parameters on a bound held there.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// One size of a growing sample.
struct GrowthStep {
  Index samples = 0;
  std::vector<EvidenceCell> optima;  // one a subset
  double spread = 0.0;               // largest distance between two subsets, as GrowthOptions::tolerance measures it
  std::optional<double> moved = {};  // distance from the previous size, medians of the subsets; empty for the first
  double seconds = 0.0;
};

struct Growth {
  std::vector<GrowthStep> steps;
  bool settled = false;
  double tolerance = 0.0;
  std::string ended_by;  // "settled", "time limit" or "all rows"
};

struct EvidenceSurface {
  std::vector<double> weight_variances;
  std::vector<double> bias_variances;
  double noise_variance = 0.0;
  Index samples = 0;
  Matrix log_marginal_likelihood;  // weight_variances × bias_variances, NaN where it could not be factored
};

struct Recommendation {
  DataSummary data;
  NetworkSpec network;
  EvidenceCell recommended;
  bool noise_fitted = false;
  std::vector<Baseline> baselines;  // at their own best noise when it is fitted
  std::vector<BoundReached> at_bound;

  // Of a grid; empty otherwise.
  std::vector<double> weight_variances;
  std::vector<double> bias_variances;
  std::vector<double> output_weight_variances;  // empty: tied
  std::vector<EvidenceCell> grid;  // weight_variances × bias_variances × output_weight_variances, the last fastest
  Index best_cell = -1;            // index into grid; -1 when the recommended point lies between cells

  // Of the prediction of what training does; the cells hold its figures.
  Criterion criterion = Criterion::evidence;
  TrainedRiskOptions risk_options;
  Index risk_samples = 0;                     // it was made with; 0: none was
  std::optional<EvidenceCell> least_risk;     // of a grid: the least predicted loss, between cells if it was refined
  std::optional<EvidenceCell> most_evidence;  // of a grid: the cell that the evidence prefers

  // Of the continuous search; empty otherwise.
  std::optional<EvidenceGradient> gradient;          // at the recommended point
  std::array<std::optional<Interval>, 3> intervals;  // by Parameter; empty: fixed, on a bound, or flat
  std::vector<Parameter> flat;                       // the evidence hardly depends on these
  std::vector<LocalOptimum> optima;                  // distinct local maxima, the best first
  Index starts = 0;                                  // local searches
  SearchCost cost;                                   // from cold to the maximum
  std::optional<Growth> growth;
  std::optional<EvidenceSurface> surface;

  std::string command;  // that made it; empty for a library call
  bool gram_held = false;
  double search_seconds = 0.0;  // from cold to the maximum, without intervals and baselines
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;

  const EvidenceCell& best() const { return recommended; }
  bool is_grid() const { return !grid.empty(); }
  /// Nats by which the recommended pair exceeds a baseline; NaN when that one could not be factored.
  double gain_over(const Baseline& baseline) const;
};

/// Throws Error(numerical) when nothing could be factored, Error(interrupted) when the progress callback cancels.
Recommendation recommend(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options);

/// Lines to paste that draw initial parameters from a prior.
struct PasteLines {
  std::string pytorch;
  std::string keras;
  std::string flax;
};
PasteLines paste_lines(const LayerPrior& prior);

std::string to_table(const Recommendation& recommendation);
std::string to_markdown(const Recommendation& recommendation);
std::string to_csv(const Recommendation& recommendation);
std::string to_json(const Recommendation& recommendation);  // schema priorfit.recommendation/1

}  // namespace priorfit

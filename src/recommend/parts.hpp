// The parts of a recommendation, each filled in by its own file.
#pragma once

#include "recommend/continuous.hpp"
#include "recommend/noise_fit.hpp"

namespace priorfit {

/// He, LeCun, Glorot and PyTorch (M6).
std::vector<Baseline> baseline_priors(const NetworkSpec& network, Index features, Index outputs);

/// Their evidence and leave-one-out density at their best noise.
void fill_baselines(std::vector<Baseline>& baselines, EvidenceObjective& objective, NoiseFit& noise);

/// Intervals and flat directions from the curvature at the maximum.
void fill_intervals(Recommendation& result, SearchOutcome& outcome, ContinuousSearch& search);

/// Which bounds the maximum lies on, with the slope there.
void fill_bounds(Recommendation& result, const SearchOutcome& outcome, const SearchSpace& space);

/// 40 × 40 around the recommended pair, at a sample of it that is small enough to take seconds.
EvidenceSurface evidence_surface(const PreparedData& data, const NetworkSpec& network, const Recommendation& result,
                                 const RecommendOptions& options);

/// Predicts what training does from the recommended pair, each cell of a grid and each baseline.
void fill_risks(Recommendation& result, const PreparedData& data, const RecommendOptions& options);

/// Recommends by the prediction instead of by the evidence: the cells of the grid and the best point between them.
void choose_by_risk(Recommendation& result, const PreparedData& data, const RecommendOptions& options);

/// Some of the rows, everything else the same.
PreparedData subset(const PreparedData& data, Index samples, std::uint64_t seed);

/// Both leave seconds and peak_bytes to the caller.
Recommendation recommend_from_grid(const PreparedData& data, const NetworkSpec& network,
                                   const RecommendOptions& options);
Recommendation recommend_continuous(const PreparedData& data, const NetworkSpec& network,
                                    const RecommendOptions& options);

/// A growing sample (RecommendOptions::growth): its path, and the last size's first subset with its maximum.
struct GrownSample {
  Growth growth;
  PreparedData data;
  Maximum maximum;
  Index starts = 0;  // at the first size, as are the
  std::vector<LocalOptimum> other_optima = {};
};
GrownSample grow_sample(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                        CostMeter& meter);

}  // namespace priorfit

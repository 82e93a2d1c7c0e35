// What searches are asked for and what they find: grids, continuous maxima, growing samples. recommend() runs them.
//
//     GridSearch grid{.weight_variances = {1, 2, 4}, .bias_variances = {0, 0.1}};
//     Recommendation answer = recommend(data, network, {.search = grid});
//     for (const Candidate& cell : answer.grid()->cells) use(cell.pair(), cell.evidence());
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "priorfit/criterion.hpp"
#include "priorfit/family.hpp"

namespace priorfit {

/// Samples of growing size until the recommended pair stays where it is.
struct GrowthOptions {
  Index first_size = 500;  // doubled from step to step; >= 2
  Index subsets = 3;       // drawn at each size; >= 1
  double tolerance =
      0.1;  // settled when no coordinate (log σ_w², log(σ_b² + 0.01)) moves more between sizes and subsets
  double time_limit = 60.0;  // seconds; a size that would likely exceed it is not begun

  void validate() const;
};

/// The maximum itself, for criteria that have a gradient.
struct ContinuousSearch {
  double tolerance = 0.01;  // nats that may be missing to the maximum, as the curvature tells; > 0
  bool surface = false;     // also the 40 × 40 surface around the maximum; families of one pair only
};

/// The best cell of a grid. Each list ascends without repetition; an empty one stands for the criterion's usual values.
struct GridSearch {
  std::vector<double> weight_variances = {};         // > 0
  std::vector<double> bias_variances = {};           // >= 0
  std::vector<double> output_weight_variances = {};  // > 0; FamilyKind::output only
  bool leave_one_out = false;  // the evidence's leave-one-out density for every cell, not only the best
};

/// A variance whose best value is the first or last allowed, so that a better one may lie outside.
struct BoundReached {
  std::string name;  // "weight_variance", "bias_variance", "noise_variance", "layer2.weight_variance", …
  double value = 0.0;
  bool upper = false;
  bool natural = false;              // the bound is a limit of the model (σ_b² = 0): nothing lies beyond it
  std::optional<double> slope = {};  // of the score per unit of the variance; empty for a grid, where it is not known
};

/// 95 % from the curvature at the maximum, in the logarithms, the variances on a bound held there.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// One variance of a continuous maximum.
struct Estimate {
  std::string name;
  double value = 0.0;
  double slope = 0.0;                     // of the score per unit
  std::optional<Interval> interval = {};  // empty: fixed, on a bound, or flat
  bool flat = false;                      // the score hardly depends on it
};

struct LocalOptimum {
  Candidate candidate;
  Index samples = 0;  // it was found at
};

/// One size of a growing sample.
struct GrowthStep {
  Index samples = 0;
  std::vector<Candidate> optima;     // one per subset
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

}  // namespace priorfit

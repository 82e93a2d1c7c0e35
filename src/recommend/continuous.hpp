// The continuous search: several starts at a small sample, the promising maxima refined at a middle one and at full
// size.
#pragma once

#include <memory>

#include "recommend/objectives.hpp"

namespace priorfit {

struct Maximum {
  Point point;
  Evidence evidence;
  Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();  // per value, at the size the maximum was found or refined from
  double noise_offset = 0.0;                            // of the coordinates of both
};

struct SearchOutcome {
  Maximum best;
  EvidenceGradient gradient;
  std::vector<LocalOptimum> optima;  // the best first
  Index starts = 0;
  std::optional<EvidenceProfile> ray;  // without bias, when the search made one
};

/// A sample with what its searches share. `inputs`, `targets` and the options must outlive it.
class ContinuousSearch {
 public:
  ContinuousSearch(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                   const RecommendOptions& options, CostMeter& meter, std::uint64_t seed);

  /// From nothing. Throws Error(numerical) when no start can be factored.
  SearchOutcome cold();
  /// From the maximum of a similar sample.
  SearchOutcome warm(const Maximum& start);

  const SearchSpace& space() const { return space_; }
  EvidenceObjective& objective() { return *objective_; }

 private:
  std::vector<Maximum> maxima_of(EvidenceObjective& sample, double tolerance, Index& starts);
  double place_tolerance() const;
  Maximum at_middle_size(const Maximum& start);
  SearchOutcome refine(const Maximum& start);
  std::optional<EvidenceProfile> along_the_ray(Maximum& start);
  SearchOutcome outcome_at(const Point& point, const Maximum& start);

  MatrixView inputs_, targets_;
  const NetworkSpec& network_;
  const RecommendOptions& options_;
  CostMeter& meter_;
  std::uint64_t seed_;
  SearchSpace space_;
  std::unique_ptr<EvidenceObjective> objective_;
};

}  // namespace priorfit

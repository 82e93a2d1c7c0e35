// The continuous search: several starts at a small sample, the promising maxima refined at a middle one and at full
// size; then, for a family of more than one pair, from there on in all of its coordinates.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "priorfit/search.hpp"
#include "search/objectives.hpp"

namespace priorfit::internal {

struct Maximum {
  Point point;
  Score score = Score::failed("not judged");
  double value = 0.0;            // per target value
  Eigen::MatrixXd curvature;     // per value, at the size the maximum was found or refined from
  double nuisance_offset = 0.0;  // of the coordinates of both
  bool converged = true;
};

struct SearchOutcome {
  Maximum best;
  std::vector<LocalOptimum> optima;  // the best first
  Index starts = 0;
  std::unique_ptr<Ray> ray;  // without bias, when the search made one
};

struct MaximumOptions {
  double tolerance = 0.01;  // of the score, in its unit
  std::uint64_t seed = 1;   // of the smaller samples
};

/// Bytes that a search by the evidence takes at its peak: the whole sample and the middle one beside it.
double search_bytes(Index samples, Index features, Index outputs, Index depth);

/// A criterion's maximum over a family of one pair. Criterion must outlive it.
class MaximumSearch {
 public:
  MaximumSearch(SmoothCriterion& criterion, const Family& family, const MaximumOptions& options);

  /// From nothing. Throws Error(numerical) when nothing could be judged from any start.
  SearchOutcome cold();
  /// From the maximum of a similar sample.
  SearchOutcome warm(const Maximum& start);
  /// A maximum below a place that was tried is none: goes on from there.
  void reconsider(SearchOutcome& outcome, const Place& tried);

  const SearchSpace& space() const { return space_; }
  Candidate candidate_at(const Maximum& maximum) const;

 private:
  std::vector<Maximum> maxima_of(SmoothCriterion& sample, double tolerance, std::vector<Place>& starts);
  double place_tolerance() const;
  Maximum at_middle_size(const Maximum& start);
  SearchOutcome refine(const Maximum& start);
  std::unique_ptr<Ray> along_the_ray(Maximum& start);
  Maximum maximum_at(const Point& point, const Maximum& start, bool converged);
  bool judged_along_no_bias(const Point& point, bool& falls);
  LocalOptimum describe(const Maximum& maximum, Index samples) const;

  SmoothCriterion& criterion_;
  MaximumOptions options_;
  SearchSpace space_;
};

/// From the maximum of one pair to that of a family with more coordinates. Never lower than `start`.
Maximum widen(SmoothCriterion& criterion, const SearchSpace& wider, const Candidate& start, double nuisance,
              const MaximumOptions& options);

/// The maximum that is reached from a place of the space that lies higher than `found`; empty where it does not, by
/// more than the tolerance, or lies outside.
std::optional<Maximum> climb_if_higher(SmoothCriterion& criterion, const SearchSpace& space, const Place& tried,
                                       const Maximum& found, const MaximumOptions& options);

}  // namespace priorfit::internal

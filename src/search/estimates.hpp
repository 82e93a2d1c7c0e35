// How firmly the data fix each coordinate of a maximum.
#pragma once

#include <string>
#include <vector>

#include "search/continuous.hpp"

namespace priorfit::internal {

struct Certainty {
  std::vector<Estimate> estimates;  // one per coordinate, the nuisance last
  std::vector<BoundReached> at_bound;
  std::vector<std::string> flat_directions;  // combinations of coordinates, in words
  Eigen::MatrixXd flat;                      // the same as columns over all coordinates, orthonormal
};

/// Intervals, bounds reached and flat directions from slope and curvature at the maximum. `ray`, if not null, serves
/// where there is no bias, at no cost.
Certainty certainty_at(SmoothCriterion& criterion, const SearchSpace& space, const Maximum& maximum, const Ray* ray);

/// The point of the same score that is nearest to one pair in every layer: as far along the flat directions as that
/// takes. `maximum` itself where nothing is flat.
Point nearest_to_tied(const SearchSpace& space, const Maximum& maximum, const Eigen::MatrixXd& flat);

}  // namespace priorfit::internal

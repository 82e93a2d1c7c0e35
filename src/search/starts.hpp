// Where a continuous search climbs from.
#pragma once

#include <vector>

#include "search/space.hpp"

namespace priorfit::internal {

/// The local maxima of the criterion over a coarse grid of a tied family and over the pairs that the criterion finds
/// promising, best first, at most four.
std::vector<Point> choose_starts(SmoothCriterion& criterion, const SearchSpace& space);

}  // namespace priorfit::internal

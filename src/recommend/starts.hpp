#pragma once

#include "recommend/local_search.hpp"

namespace priorfit {

/// Places to climb from: the local maxima of the objective on a coarse grid over the whole space, best first, at most four.
std::vector<Point> choose_starts(const Objective& objective, const SearchSpace& space);

}  // namespace priorfit

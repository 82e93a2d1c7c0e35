// The functions that local searches climb: a criterion over a family, directly or along a ray.
#pragma once

#include "search/local_search.hpp"

namespace priorfit::internal {

/// criterion and space must outlive it.
Objective objective_of(SmoothCriterion& criterion, const SearchSpace& space);

/// The same along a ray that scales, for a family of one pair: biases follow the weights at the ray's ratio, their own
/// slope counts as 0.
Objective ray_objective(const Ray& ray, const SearchSpace& space);

}  // namespace priorfit::internal

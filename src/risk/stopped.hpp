// What gradient descent that is stopped leaves of the targets.
#pragma once

#include "linalg/packed.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit::internal {

/// Θ -> a multiple of (I − 2η/values Θ)^T, for `values` = samples · outputs. Throws Error(numerical) when descent at
/// this rate diverges, with the largest rate at which it does not.
void stop_training(PackedSymmetric& tangent, Index values, const TrainingTime& time);

}  // namespace priorfit::internal

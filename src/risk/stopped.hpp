// What gradient descent that is stopped leaves of the targets.
#pragma once

#include "linalg/packed.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit {

/// Θ -> a multiple of (I − 2η/(samples · outputs) Θ)^T. Throws Error(numerical) when descent at this rate diverges,
/// with the largest rate at which it does not.
void stop_training(PackedSymmetric& tangent, Index outputs, const TrainingTime& time);

}  // namespace priorfit

// Leaving each sample out of a trained, linearised network, in closed form (M8).
#pragma once

#include "linalg/packed.hpp"

namespace priorfit {

struct LeftOut {
  Eigen::MatrixXd errors;  // samples × outputs: m, target minus prediction
  Vector variances;        // v: of each sample's prediction, from the random start; the same for all outputs
};

/// residual: Θ⁻¹, or any multiple of what is left of the targets after training, as Θ with a ridge or training that is
/// stopped leave it. For the first two leaving out is exact, for the last it is the same shortcut.
LeftOut leave_out(const PackedSymmetric& residual, const PackedSymmetric& covariance, const MatrixView& targets);

/// Θ -> Θ⁻¹. Throws Error(numerical) when it is not positive definite.
void invert_tangent(PackedSymmetric& tangent);

/// For each sample the probability that the output of the right class, where the target is largest, is the largest of
/// independent N(target − m, v).
Vector right_probabilities(const LeftOut& left_out, const MatrixView& targets);

}  // namespace priorfit

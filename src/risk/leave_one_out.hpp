// Leaving each sample out of a trained, linearised network, in closed form (M8).
#pragma once

#include "linalg/packed.hpp"

namespace priorfit::internal {

struct LeftOut {
  Eigen::MatrixXd errors;  // samples × outputs: m, target minus prediction
  Vector variances;        // v: of each sample's prediction, from the random start; the same for all outputs
};

/// Two full matrices, kept from one call to the next: memory that is new each time costs an eighth of the whole.
struct LeaveOutSpace {
  Eigen::MatrixXd inverse, start;
};

/// Training to its end: `tangent` is Θ with its ridge on the diagonal. The variances are the squared row norms of Θ⁻¹
/// C, K = C Cᵀ (M9): six factorisations in all, where Θ⁻¹ and its product with K took nine. Throws Error(numerical)
/// when Θ is not positive definite.
LeftOut leave_out_of_trained(const PackedSymmetric& tangent, const PackedSymmetric& covariance,
                             const MatrixView& targets, LeaveOutSpace& space);

/// Training that is stopped: `residual` is a multiple of what is left of the targets. Not exact, as it is for Θ⁻¹, but
/// the same shortcut.
LeftOut leave_out(const PackedSymmetric& residual, const PackedSymmetric& covariance, const MatrixView& targets);

/// For each sample the probability that the output of the right class, where the target is largest, is the largest of
/// independent N(target − m, v).
Vector right_probabilities(const LeftOut& left_out, const MatrixView& targets);

}  // namespace priorfit::internal

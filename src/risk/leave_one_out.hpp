// Leaving each sample out of a trained, linearised network, in closed form (M8).
#pragma once

#include "linalg/packed.hpp"

namespace priorfit {

struct LeftOut {
  Eigen::MatrixXd errors;  // samples × outputs: m, target minus prediction
  Vector variances;        // v: of each sample's prediction, from the random start; the same for all outputs
};

/// tangent: Θ with its ridge; comes back as Θ⁻¹. Throws Error(numerical) when it is not positive definite.
LeftOut leave_out(PackedSymmetric& tangent, const PackedSymmetric& covariance, const MatrixView& targets);

/// The mean over samples of the probability that the output of the right class, where the target is largest, is the
/// largest of independent N(target − m, v).
double expected_accuracy(const LeftOut& left_out, const MatrixView& targets);

}  // namespace priorfit

// What TrainedRiskEngine takes.
#pragma once

#include "linalg/packed.hpp"

namespace priorfit::internal {

/// So many packed matrices at the peak of a prediction: three, and two that LAPACK wants whole.
inline constexpr Index risk_matrices = 7;

/// `groups`: of equal rows
inline double risk_bytes(Index groups) {
  return static_cast<double>(PackedSymmetric::bytes(groups)) * static_cast<double>(risk_matrices);
}

}  // namespace priorfit::internal

// The optimisers' constants for one step.
#pragma once

#include "mlp/simd_passes.hpp"
#include "priorfit/training.hpp"

namespace priorfit::internal {

/// step: from 1.
template <typename T>
OptimizerStep<T> optimizer_step(const OptimizerOptions& optimizer, double learning_rate, std::uint64_t step);

/// Which running moments an optimiser keeps.
bool keeps_first_moments(const OptimizerOptions& optimizer);
bool keeps_second_moments(const OptimizerOptions& optimizer);

}  // namespace priorfit::internal

// Where logarithms of bias variances begin: log(σ_b² + δ) is finite at σ_b² = 0 and has a slope there.
#pragma once

namespace priorfit::internal {

constexpr double bias_offset = 0.01;

}  // namespace priorfit::internal

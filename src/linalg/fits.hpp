// Work that grows with the square of the sample is refused before it begins where memory is short, not after minutes or
// by the system's killer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

inline constexpr double usable_share = 0.9;  // the rest is for the system and what else is small

/// Bytes that are free once OpenBLAS has its buffer.
double free_for_matrices();

/// Throws Error(resource) that names what is needed, what is free and the largest sample that fits, unless
/// bytes_for(samples) do. `what`: "the covariance"; bytes_for grows with the sample. `argument`: what is to be smaller.
void require_memory(const std::string& what, Index samples, const std::function<double(Index samples)>& bytes_for,
                    const char* argument = "samples", double free = free_for_matrices());

/// The largest sample whose bytes are at most `usable`, at least 0 and below `samples`.
Index largest_that_fits(Index samples, double usable, const std::function<double(Index samples)>& bytes_for);

}  // namespace priorfit::internal

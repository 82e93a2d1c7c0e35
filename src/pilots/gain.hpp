// From single networks to what a start is worth, and how surely.
#pragma once

#include "priorfit/pilots.hpp"

namespace priorfit::internal {

/// Over the blocks that were left out, the mean of each; empty where the start was not measured on at least two, or
/// where a network of it diverged.
std::optional<MeasuredStart> measured_start(const std::vector<PilotResult>& results, std::size_t start,
                                            bool classification);

/// Paired by block: networks of one block are averaged first, because they share the rows that are left out. The
/// blocks' training rows overlap, so that their spread is too small for other draws of rows: its variance is taken
/// (1/blocks + 1/(blocks in training)) times instead of 1/blocks times (Nadeau and Bengio, 2003). The 95 % interval is
/// Student's, widened for `looks` at the data. Empty with fewer than four blocks.
std::optional<MeasuredGain> measured_gain(const std::vector<PilotResult>& results, std::size_t current,
                                          std::size_t other, bool classification, Index looks);

/// The p-quantile of Student's distribution, 0.5 < p < 1; relative error below 1e-9.
double student_quantile(double p, Index degrees);

}  // namespace priorfit::internal

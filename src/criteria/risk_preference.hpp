// Which of several predicted risks to train from.
#pragma once

#include "model/bias_offset.hpp"
#include "priorfit/criterion.hpp"

namespace priorfit::internal {

/// How much more than the least loss, as a share of it, still counts as good: 3 % of wrong classes, 1 % of a squared
/// error.
double preference_tolerance(bool classification);

/// The least predicted loss; null when no candidate has figures.
const Candidate* least_risk(const std::vector<Candidate>& candidates);

/// Index of the candidate to recommend: of those within the tolerance of the least loss, the one whose hidden layers
/// are closest to He's pair, because it trains faster. Throws Error(numerical) when no candidate has figures.
std::size_t prefer_by_risk(const std::vector<Candidate>& candidates);

}  // namespace priorfit::internal

#include <fmt/format.h>

#include <cmath>

#include "kernel/bias_offset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit {
namespace {

/// In the logarithms, as the search measures distances; an output layer of its own variance does not count.
double distance_to_he(const LayerPrior& prior) {
  return std::hypot(std::log(prior.weight_variance / 2.0), std::log1p(prior.bias_variance / bias_offset));
}

/// One standard error would be too much: it is the spread of samples that are the same for all candidates
/// (docs/choice-quality.md).
bool is_as_good(const TrainedRisk& risk, const TrainedRisk& best) {
  return risk.loss() <= (1 + preference_tolerance(best)) * best.loss();
}

}  // namespace

double preference_tolerance(const TrainedRisk& risk) { return risk.accuracy ? 0.03 : 0.01; }

std::size_t preferred_candidate(const std::vector<RiskCandidate>& candidates) {
  const RiskCandidate* best = nullptr;
  for (const RiskCandidate& candidate : candidates) {
    if (candidate.risk.ok() && (!best || candidate.risk.loss() < best->risk.loss())) best = &candidate;
  }
  if (!best) {
    throw Error(ErrorKind::numerical,
                fmt::format("what training does could be predicted nowhere; the first: {}",
                            candidates.empty() ? "no candidate" : candidates.front().risk.failure));
  }
  const RiskCandidate* chosen = best;
  for (const RiskCandidate& candidate : candidates) {
    if (!candidate.risk.ok() || !is_as_good(candidate.risk, best->risk)) continue;
    const double nearer = distance_to_he(candidate.prior) - distance_to_he(chosen->prior);
    if (nearer < 0 || (nearer == 0 && candidate.risk.loss() < chosen->risk.loss())) chosen = &candidate;
  }
  return static_cast<std::size_t>(chosen - candidates.data());
}

}  // namespace priorfit

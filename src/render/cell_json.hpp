// An initialisation and its scores as every JSON result holds them.
#pragma once

#include "model/start_json.hpp"
#include "priorfit/criterion.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

/// start_json, the figures of the evidence, and "trained" with those of training, where they were computed.
Json cell_json(const Candidate& candidate);
/// {"name"?, "layers", "distribution", "scores": {by criterion}}
Json candidate_json(const Candidate& candidate);
Json evidence_json(const Evidence& evidence);
Json risk_json(const TrainedRisk& risk);

}  // namespace priorfit::internal

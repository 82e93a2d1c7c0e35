// A cell of the evidence grid as every JSON result holds it.
#pragma once

#include "priorfit/recommend.hpp"
#include "support/json.hpp"

namespace priorfit {

Json cell_json(const EvidenceCell& cell);
Json evidence_json(const Evidence& evidence);
Json risk_json(const TrainedRisk& risk);

}  // namespace priorfit

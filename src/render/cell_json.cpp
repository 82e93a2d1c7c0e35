#include "render/cell_json.hpp"

#include <algorithm>
#include <cmath>

namespace priorfit::internal {

Json cell_json(const Candidate& candidate) {
  Json json = start_json(candidate.start);
  if (candidate.has_evidence()) json.update(evidence_json(candidate.evidence()));
  if (candidate.has_risk()) json["trained"] = risk_json(candidate.risk());
  return json;
}

Json candidate_json(const Candidate& candidate) {
  Json json;
  if (candidate.start.scheme) json["name"] = to_string(*candidate.start.scheme);
  json["layers"] = layers_json(candidate.start);
  json["distribution"] = to_string(candidate.start.distribution);
  Json scores = Json::object();
  for (const auto& [name, score] : candidate.scores) {
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    if (score.evidence()) {
      scores[key] = evidence_json(*score.evidence());
    } else if (score.risk()) {
      scores[key] = risk_json(*score.risk());
    } else {
      scores[key] = score.ok() ? Json{{"value", score.value()}} : Json{{"failure", score.failure()}};
    }
  }
  json["scores"] = scores;
  return json;
}

Json risk_json(const TrainedRisk& risk) {
  if (!risk.ok()) return {{"failure", risk.failure}};
  Json json = {{"error", risk.error},
               {"standard_error", risk.standard_error},
               {"data_error", risk.data_error},
               {"initialisation_error", risk.initialisation_error},
               {"ridge", risk.ridge}};
  if (risk.accuracy) json["accuracy"] = *risk.accuracy;
  return json;
}

Json evidence_json(const Evidence& e) {
  Json json = {{"noise_variance", finite_or_null(e.noise_variance)},
               {"log_marginal_likelihood", finite_or_null(e.log_marginal_likelihood)},
               {"per_value", finite_or_null(e.per_value)},
               {"jitter", e.jitter},
               {"status", to_string(e.status)}};
  if (std::isfinite(e.leave_one_out)) json["leave_one_out"] = e.leave_one_out;
  if (e.failed_pivot > 0) json["failed_pivot"] = e.failed_pivot;
  return json;
}

}  // namespace priorfit::internal

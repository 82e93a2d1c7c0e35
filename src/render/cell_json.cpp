#include "recommend/cell_json.hpp"

#include <cmath>

namespace priorfit {

Json cell_json(const EvidenceCell& cell) {
  Json json = {{"weight_variance", cell.prior.weight_variance}, {"bias_variance", cell.prior.bias_variance}};
  if (cell.prior.output_weight_variance) json["output_weight_variance"] = *cell.prior.output_weight_variance;
  json.update(evidence_json(cell.evidence));
  if (cell.risk) json["trained"] = risk_json(*cell.risk);
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

}  // namespace priorfit

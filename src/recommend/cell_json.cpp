#include "recommend/cell_json.hpp"

namespace priorfit {

Json cell_json(const EvidenceCell& cell) {
  const Evidence& e = cell.evidence;
  Json json = {{"weight_variance", cell.prior.weight_variance},
               {"bias_variance", cell.prior.bias_variance},
               {"noise_variance", e.noise_variance},
               {"log_marginal_likelihood", finite_or_null(e.log_marginal_likelihood)},
               {"per_value", finite_or_null(e.per_value)},
               {"jitter", e.jitter},
               {"status", to_string(e.status)}};
  if (e.failed_pivot > 0) json["failed_pivot"] = e.failed_pivot;
  return json;
}

}  // namespace priorfit

// An initialisation as every JSON result holds it.
#pragma once

#include "priorfit/initialisation.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

/// weight_variance and bias_variance (null where layers differ), output_weight_variance where there is one.
Json start_json(const Initialisation& start);
/// [{"weight_variance", "bias_variance"}], one per layer
Json layers_json(const Initialisation& start);

}  // namespace priorfit::internal

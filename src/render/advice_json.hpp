// What "auto" adds to the JSON of a recommendation.
#pragma once

#include "priorfit/recommend.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

/// verdict, loss, optimizer, training, starts (the lines of the table), pilots
void add_advice(Json& json, const Recommendation& r);
Json advice_candidates_json(const Advice& advice);

}  // namespace priorfit::internal

// Recipes in JSON, for results that carry them.
#pragma once

#include "priorfit/preparation.hpp"
#include "support/json.hpp"

namespace priorfit {

Json preparation_json(const Preparation& preparation);

/// Throws Error(data) naming `source` when a field is not there or not what it should be.
Preparation preparation_from(const Json& json, const std::string& source);

}  // namespace priorfit

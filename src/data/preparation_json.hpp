// Recipes in JSON, for results that carry them.
#pragma once

#include "priorfit/preparation.hpp"
#include "support/json.hpp"

namespace priorfit::internal {

Json preparation_json(const Preparation& preparation);

/// Throws Error(data) naming `source` when a field is not there or not what it should be.
ColumnKind parse_column_kind(const std::string& name);  // throws Error(data)
Preparation preparation_from(const Json& json, const std::string& source);

}  // namespace priorfit::internal

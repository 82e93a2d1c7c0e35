// What every JSON result needs.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace priorfit {

/// Keeps the order in which fields are added, so that results read as they were meant to.
using Json = nlohmann::ordered_json;

/// JSON has no NaN.
inline Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Indented; bytes that are not UTF-8 (names come from the user's files) become the replacement character.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace priorfit

// What every JSON result needs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace priorfit::internal {

/// Keeps the order in which fields are added, so that results read as they were meant to.
using Json = nlohmann::ordered_json;

/// JSON has no NaN.
Json finite_or_null(double value);

/// A whole number from 0 to 2⁵³, such as a count of rows. Throws Error(data) for anything else: the file may have been
/// made by anyone, and this becomes a place in memory.
std::int64_t count_from(const Json& value);

/// Indented; bytes that are not UTF-8 (names come from the user's files) become the replacement character.
std::string json_text(const Json& json);

/// What the library says of a problem, without its "[json.exception.parse_error.101] " in front.
std::string json_problem(const Json::exception& error);

}  // namespace priorfit::internal

// JSON that comes from outside, into values: in time that grows with its length only, and within limits.
//
//     const Json file = read_json(text, {.deepest = 8}, path.string());
//
// The JSON library's own callback looks at all siblings after each object, so that 50,000 of them take 16 s, and keeps
// the last of repeated names silently.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "support/json.hpp"

namespace priorfit::internal {

struct JsonLimits {
  int deepest = 64;                      // objects and lists inside each other; more is an error
  std::size_t most_values = 20'000'000;  // those that are passed over included
  /// Whether the value of this name in the outermost object is kept; empty: all are.
  std::function<bool(std::string_view)> keeps = {};
  int deepest_kept = 64;  // what lies deeper is passed over
};

/// Throws Error(data) that begins with `name` when `text` is not JSON, holds a zero byte, or a name stands twice in one
/// object, or it goes beyond the limits.
Json read_json(std::string_view text, const JsonLimits& limits, const std::string& name);

}  // namespace priorfit::internal

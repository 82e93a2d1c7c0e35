#include "support/json.hpp"

#include <cmath>
#include <string_view>

namespace priorfit::internal {

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string json_problem(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.starts_with("[json.exception.") ? text.find("] ") : std::string_view::npos;
  const std::string_view problem = end == std::string_view::npos ? text : text.substr(end + 2);
  // "cannot use at() with array"
  constexpr std::string_view no_object = "cannot use at() with ";
  if (!problem.starts_with(no_object)) return std::string(problem);
  const std::string_view found = problem.substr(no_object.size());
  return std::string("an object with named fields is expected where ") +
         (found == "array"  ? "a list"
          : found == "null" ? "nothing"
                            : "a single value") +
         " stands";
}

}  // namespace priorfit::internal

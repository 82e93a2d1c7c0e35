#include "support/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "priorfit/error.hpp"

namespace priorfit::internal {

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::int64_t count_from(const Json& value) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most) {
    throw Error(ErrorKind::data,
                fmt::format("{} is not a count", value.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  return value.get<std::int64_t>();
}

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

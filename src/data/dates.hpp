// Dates as text, and their parts. No locale takes part in any of it.
#pragma once

#include <optional>
#include <string_view>

#include "priorfit/preparation.hpp"

namespace priorfit::internal {

/// Days since 1970-01-01, with the time of day as a fraction: 2021-03-01, 1.3.2021, 3/1/21, 1 Mar 2021, 20210301, each
/// perhaps with a time. Years come first, or day and month are in `order`.
std::optional<double> read_date(std::string_view field, DateOrder order);

/// Year, month (1 to 12) and weekday (Monday 0 to Sunday 6) of a day since 1970-01-01.
struct CalendarDay {
  int year = 0, month = 0, weekday = 0;
};
CalendarDay calendar_day(double days);

}  // namespace priorfit::internal

// Numbers, dates and missing values as text. No locale takes part in any of it.
#pragma once

#include <optional>
#include <string_view>

#include "priorfit/preparation.hpp"

namespace priorfit::internal {

enum class Numeral { finite, not_finite, missing, text };

/// Empty, ?, NA, NaN, null and their like, in any case.
bool is_missing(std::string_view field);

/// One field without surrounding blanks. A number too small for a double becomes 0.
Numeral read_number(std::string_view field, char decimal, double& value);

/// Digits only, the first a 0 and not the only one: 00704 is a code.
bool has_leading_zero(std::string_view field);

/// Days since 1970-01-01, with the time of day as a fraction. Years have four digits.
std::optional<double> read_date(std::string_view field, DateOrder order);

/// Year, month (1 to 12) and weekday (Monday 0 to Sunday 6) of a day since 1970-01-01.
struct CalendarDay {
  int year = 0, month = 0, weekday = 0;
};
CalendarDay calendar_day(double days);

/// The plain numbers that tables are full of: at most 19 digits, a mark, no exponent, exact in a double. Moves `at`
/// behind the number; false, with `at` as it was, for anything else.
inline bool read_plain_number(const char*& at, const char* end, char decimal, double& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* p = at;
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  unsigned long long mantissa = 0;
  const char* const first = p;
  unsigned digit = 0;
  while (p < end && (digit = static_cast<unsigned>(*p - '0')) < 10) mantissa = 10 * mantissa + digit, ++p;
  long digits = p - first;
  long decimals = 0;
  if (p < end && *p == decimal) {
    const char* const behind = ++p;
    while (p < end && (digit = static_cast<unsigned>(*p - '0')) < 10) mantissa = 10 * mantissa + digit, ++p;
    decimals = p - behind;
    digits += decimals;
  }
  if (digits == 0 || digits > 19 || mantissa > 1ULL << 53) return false;
  if (p < end && (*p == 'e' || *p == 'E')) return false;
  // Both exact, so that one division rounds once (Clinger 1990).
  const double magnitude = static_cast<double>(mantissa) / powers[decimals];
  value = negative ? -magnitude : magnitude;
  at = p;
  return true;
}

}  // namespace priorfit::internal

#include "data/numbers.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

namespace priorfit::internal {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a number that no double holds is too small, from where its first digit stands and its exponent.
bool is_tiny(std::string_view field) {
  long place = 0, exponent = 0;
  bool seen = false, behind_point = false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const char c = field[i];
    if (c == 'e' || c == 'E') {
      const char* first = field.data() + i + 1;
      if (first < field.data() + field.size() && *first == '+') ++first;
      const bool negative = first < field.data() + field.size() && *first == '-';
      if (std::from_chars(first, field.data() + field.size(), exponent).ec != std::errc()) return negative;
      break;
    }
    if (c == '.') behind_point = true;
    if (!is_digit(c)) continue;
    seen = seen || c != '0';
    if (seen && !behind_point) ++place;
    if (!seen && behind_point) --place;
  }
  return place + exponent < 0;
}

// Digits at `at`, at least one and at most `most`.
bool take_whole(std::string_view text, std::size_t& at, std::size_t most, int& value) {
  const std::size_t first = at;
  value = 0;
  while (at < text.size() && at - first < most && is_digit(text[at])) value = 10 * value + (text[at++] - '0');
  return at > first;
}

// "", "T12:30", " 12:30:15.25Z", "12:30+02:00": as a fraction of a day; the zone is passed over.
bool take_time(std::string_view text, double& fraction) {
  fraction = 0.0;
  if (text.empty()) return true;
  std::size_t at = text[0] == 'T' || text[0] == ' ' ? 1 : 0;
  int hour = 0, minute = 0, second = 0;
  if (at == 0 || !take_whole(text, at, 2, hour) || at >= text.size() || text[at++] != ':') return false;
  if (!take_whole(text, at, 2, minute)) return false;
  double part = 0.0;
  if (at < text.size() && text[at] == ':') {
    if (!take_whole(text, ++at, 2, second)) return false;
    if (at < text.size() && text[at] == '.') {
      double unit = 0.1;
      for (++at; at < text.size() && is_digit(text[at]); ++at, unit /= 10.0) part += unit * (text[at] - '0');
    }
  }
  if (hour > 24 || minute > 59 || second > 60) return false;
  fraction = (3600.0 * hour + 60.0 * minute + second + part) / 86400.0;
  if (at == text.size()) return true;
  if (text[at] == 'Z') return at + 1 == text.size();
  if (text[at] != '+' && text[at] != '-') return false;
  while (++at < text.size()) {
    if (!is_digit(text[at]) && text[at] != ':') return false;
  }
  return true;
}

}  // namespace

bool is_missing(std::string_view field) {
  static constexpr std::array<std::string_view, 12> words = {"na",   "n/a", "nan",  "null", "none", "nil",
                                                             "<na>", "#na", "-nan", "nat",  "#n/a", "n.a."};
  if (field.empty()) return true;
  if (field.size() > 5) return false;
  if (field.size() == 1) return field[0] == '?' || field[0] == '-' || field[0] == '.';
  char letters[5];
  for (std::size_t i = 0; i < field.size(); ++i) letters[i] = lower(field[i]);
  for (const std::string_view word : words) {
    if (word == std::string_view(letters, field.size())) return true;
  }
  return false;
}

bool has_leading_zero(std::string_view field) {
  if (field.size() < 2 || field[0] != '0') return false;
  for (const char c : field) {
    if (!is_digit(c)) return false;
  }
  return true;
}

Numeral read_number(std::string_view field, char decimal, double& value) {
  value = 0.0;
  if (is_missing(field)) return Numeral::missing;
  const char* at = field.data();
  const char* const end = at + field.size();
  if (field.size() > 1 && *at == '+' && at[1] != '-') ++at;
  if (read_plain_number(at, end, decimal, value) && at == end) return Numeral::finite;
  std::string point;
  std::string_view number(at == end ? field.data() : at, 0);
  number = field.substr(field.size() > 1 && field[0] == '+' && field[1] != '-' ? 1 : 0);
  if (decimal != '.') {
    if (number.find('.') != std::string_view::npos) return Numeral::text;
    point.assign(number);
    for (char& c : point) c = c == decimal ? '.' : c;
    number = point;
  }
  value = 0.0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (stop != number.data() + number.size() || number.empty()) return value = 0.0, Numeral::text;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = is_tiny(number);
    value = 0.0;
    return tiny ? Numeral::finite : Numeral::not_finite;
  }
  if (error != std::errc()) return value = 0.0, Numeral::text;
  return std::isfinite(value) ? Numeral::finite : Numeral::not_finite;
}

std::optional<double> read_date(std::string_view field, DateOrder order) {
  if (field.size() < 8 || field.size() > 40 || !is_digit(field[0])) return std::nullopt;
  std::size_t at = 0;
  int part[3];
  char separator = 0;
  const bool year_first = order == DateOrder::year_first;
  for (int i = 0; i < 3; ++i) {
    const bool is_year = i == (year_first ? 0 : 2);
    const std::size_t first = at;
    if (!take_whole(field, at, is_year ? 4 : 2, part[i]) || (is_year && at - first != 4)) return std::nullopt;
    if (i == 2) break;
    if (at >= field.size() || (field[at] != '-' && field[at] != '/' && field[at] != '.')) return std::nullopt;
    if (separator != 0 && field[at] != separator) return std::nullopt;
    separator = field[at++];
  }
  double fraction = 0.0;
  if (!take_time(field.substr(at), fraction)) return std::nullopt;
  const int year = part[year_first ? 0 : 2];
  const int month = part[order == DateOrder::month_first ? 0 : 1];
  const int day = part[year_first ? 2 : order == DateOrder::day_first ? 0 : 1];
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) + fraction;
}

CalendarDay calendar_day(double days) {
  const double whole = std::floor(std::min(std::max(days, -1e7), 1e7));
  const std::chrono::sys_days day{std::chrono::days(static_cast<int>(whole))};
  const std::chrono::year_month_day date(day);
  const std::chrono::weekday weekday(day);
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(weekday.iso_encoding()) - 1};
}

}  // namespace priorfit::internal

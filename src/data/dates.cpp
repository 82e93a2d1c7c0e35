#include "data/dates.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

namespace priorfit::internal {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits at `at`, at least one and at most `most`.
bool take_whole(std::string_view text, std::size_t& at, std::size_t most, int& value) {
  const std::size_t first = at;
  value = 0;
  while (at < text.size() && at - first < most && is_digit(text[at])) value = 10 * value + (text[at++] - '0');
  return at > first;
}

// "", "T12:30", " 12:30:15.25Z", "12:30+02:00", " 1:30 PM": as a fraction of a day; the zone is passed over.
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
  std::string_view rest = text.substr(at);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.size() == 2 && lower(rest[1]) == 'm' && (lower(rest[0]) == 'a' || lower(rest[0]) == 'p')) {
    if (hour < 1 || hour > 12) return false;
    hour = hour % 12 + (lower(rest[0]) == 'p' ? 12 : 0);
    rest = {};
  }
  if (hour > 24 || minute > 59 || second > 60) return false;
  fraction = (3600.0 * hour + 60.0 * minute + second + part) / 86400.0;
  if (rest.empty() || rest == "Z" || rest == "UTC") return true;
  if (rest[0] != '+' && rest[0] != '-') return false;
  return std::all_of(rest.begin() + 1, rest.end(), [](char c) { return is_digit(c) || c == ':'; });
}

// 1 to 12 for a name of a month, in full or three letters (Sept too), which is passed over; 0 for anything else.
int take_month(std::string_view text, std::size_t& at) {
  static constexpr std::array<std::string_view, 12> months = {"january",   "february", "march",    "april",
                                                              "may",       "june",     "july",     "august",
                                                              "september", "october",  "november", "december"};
  std::string word;
  while (at + word.size() < text.size() && word.size() < 10) {
    const char c = lower(text[at + word.size()]);
    if (c < 'a' || c > 'z') break;
    word += c;
  }
  for (std::size_t m = 0; m < months.size(); ++m) {
    if (word.size() < 3 || !months[m].starts_with(word)) continue;
    if (word.size() > 4 && word != months[m]) continue;
    at += word.size();
    return static_cast<int>(m) + 1;
  }
  return 0;
}

struct DateParts {
  int year = 0, month = 0, day = 0;
  std::size_t end = 0;  // where the time begins
};

// Years of two digits are those from 1969 to 2068, as POSIX has it.
bool take_year(std::string_view text, std::size_t& at, int& year) {
  const std::size_t first = at;
  if (!take_whole(text, at, 4, year) || (at - first != 4 && at - first != 2)) return false;
  if (at - first == 2) year += year < 69 ? 2000 : 1900;
  return true;
}

bool is_between(char c) { return c == '-' || c == '/' || c == '.' || c == ' ' || c == ','; }

void skip_between(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_between(text[at])) ++at;
}

// "3 Mar 2021", "03-Mar-21", "Mar 3, 2021", "March 3rd" is none.
std::optional<DateParts> named_month(std::string_view text) {
  DateParts parts;
  std::size_t at = 0;
  const bool day_first = is_digit(text[0]);
  if (day_first && !take_whole(text, at, 2, parts.day)) return std::nullopt;
  skip_between(text, at);
  parts.month = take_month(text, at);
  if (parts.month == 0) return std::nullopt;
  if (at < text.size() && text[at] == '.') ++at;
  skip_between(text, at);
  if (!day_first && !take_whole(text, at, 2, parts.day)) return std::nullopt;
  if (!day_first && (at >= text.size() || !is_between(text[at]))) return std::nullopt;
  skip_between(text, at);
  if (!take_year(text, at, parts.year)) return std::nullopt;
  parts.end = at;
  return parts;
}

// "2021-03-01", "1.3.2021", "3/1/21"
std::optional<DateParts> numbered_month(std::string_view text, DateOrder order) {
  std::size_t at = 0;
  int part[3];
  char separator = 0;
  const bool year_first = order == DateOrder::year_first;
  for (int i = 0; i < 3; ++i) {
    const bool is_year = i == (year_first ? 0 : 2);
    const std::size_t first = at;
    if (is_year && year_first && (!take_whole(text, at, 4, part[i]) || at - first != 4)) return std::nullopt;
    if (is_year && !year_first && !take_year(text, at, part[i])) return std::nullopt;
    if (!is_year && !take_whole(text, at, 2, part[i])) return std::nullopt;
    if (i == 2) break;
    if (at >= text.size() || (text[at] != '-' && text[at] != '/' && text[at] != '.')) return std::nullopt;
    if (separator != 0 && text[at] != separator) return std::nullopt;
    separator = text[at++];
  }
  return DateParts{part[year_first ? 0 : 2], part[order == DateOrder::month_first ? 0 : 1],
                   part[year_first                      ? 2
                        : order == DateOrder::day_first ? 0
                                                        : 1],
                   at};
}

// "20210301", from 1900 to 2099.
std::optional<DateParts> compact(std::string_view text) {
  if (text.size() != 8 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  DateParts parts;
  std::size_t at = 0;
  take_whole(text, at, 4, parts.year);
  take_whole(text, at, 2, parts.month);
  take_whole(text, at, 2, parts.day);
  if (parts.year < 1900 || parts.year > 2099) return std::nullopt;
  parts.end = 8;
  return parts;
}

}  // namespace

std::optional<double> read_date(std::string_view field, DateOrder order) {
  if (field.size() < 6 || field.size() > 40) return std::nullopt;
  std::optional<DateParts> parts = numbered_month(field, DateOrder::year_first);  // beside any other order
  if (!parts && order != DateOrder::year_first) parts = numbered_month(field, order);
  if (!parts) parts = named_month(field);
  if (!parts && order == DateOrder::year_first) parts = compact(field);
  double fraction = 0.0;
  if (!parts || !take_time(field.substr(parts->end), fraction)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(parts->year),
                                         std::chrono::month(static_cast<unsigned>(parts->month)),
                                         std::chrono::day(static_cast<unsigned>(parts->day))};
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

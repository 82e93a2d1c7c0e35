#include "data/numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clocale>
#include <cmath>

namespace priorfit::internal {
namespace {

double number(std::string_view text, char decimal = '.') {
  double value = -1;
  EXPECT_EQ(read_number(text, decimal, value), Numeral::finite) << text;
  return value;
}

TEST(ReadNumber, ReadsWhatPeopleWrite) {
  EXPECT_EQ(number("1"), 1.0);
  EXPECT_EQ(number("+1.5"), 1.5);
  EXPECT_EQ(number("-.5"), -0.5);
  EXPECT_EQ(number("5."), 5.0);
  EXPECT_EQ(number("1e-3"), 1e-3);
  EXPECT_EQ(number("1E+3"), 1000.0);
  EXPECT_EQ(number("1,5", ','), 1.5);
  EXPECT_EQ(number("-1,5e2", ','), -150.0);
  double value = 0;
  for (const char* text : {"+-1", "1 2", "0x10", "1e", "--1", "+", "one", "1,5", "1.2.3"}) {
    EXPECT_EQ(read_number(text, '.', value), Numeral::text) << text;
  }
  EXPECT_EQ(read_number("1.5", ',', value), Numeral::text);
}

TEST(ReadNumber, TakesNoLocale) {
  const char* const before = std::setlocale(LC_ALL, nullptr);
  const std::string kept = before;
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    EXPECT_EQ(number("1.5e-400"), 0.0) << locale;
    EXPECT_EQ(number("-0.000001e-400"), 0.0) << locale;
    EXPECT_EQ(number("1.5"), 1.5) << locale;
  }
  std::setlocale(LC_ALL, kept.c_str());
}

TEST(ReadNumber, TellsTooSmallFromTooLarge) {
  double value = 1;
  EXPECT_EQ(number("1e-400"), 0.0);
  EXPECT_EQ(number("0.00001e-330"), 0.0);
  EXPECT_EQ(read_number("1e999", '.', value), Numeral::not_finite);
  EXPECT_EQ(read_number("1000000e304", '.', value), Numeral::not_finite);
  EXPECT_EQ(read_number("-Infinity", '.', value), Numeral::not_finite);
}

TEST(ReadNumber, KnowsWhatIsMissing) {
  for (const char* text : {"", "?", "NA", "n/a", "NaN", "null", "None", "<NA>", "#N/A", "-", "."}) {
    EXPECT_TRUE(is_missing(text)) << text;
  }
  for (const char* text : {"0", "no", "nab", "unknown", "--x"}) EXPECT_FALSE(is_missing(text)) << text;
}

RC_GTEST_PROP(ReadNumber, ReadsBackEveryDouble, (double drawn)) {
  const double written = drawn * std::pow(10.0, *rc::gen::inRange(-200, 200));
  RC_PRE(std::isfinite(written));
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", written);
  double value = 0;
  RC_ASSERT(read_number(digits, '.', value) == Numeral::finite);
  RC_ASSERT(value == written);
}

RC_GTEST_PROP(ReadNumber, AgreesWithTheLibraryOnPlainNumbers, ()) {
  const auto whole = *rc::gen::inRange<long>(-1000000000, 1000000000);
  const auto decimals = *rc::gen::inRange(0, 9);
  char digits[60];
  std::snprintf(digits, sizeof digits, "%.*f", decimals, static_cast<double>(whole) / std::pow(10.0, decimals));
  double value = 0;
  RC_ASSERT(read_number(digits, '.', value) == Numeral::finite);
  RC_ASSERT(value == std::strtod(digits, nullptr));
}

TEST(ReadDate, CountsDaysAndTakesApart) {
  EXPECT_EQ(*read_date("1970-01-01", DateOrder::year_first), 0.0);
  EXPECT_EQ(*read_date("2000-03-01", DateOrder::year_first), 11017.0);  // datetime.date(2000, 3, 1) - date(1970, 1, 1)
  EXPECT_EQ(*read_date("01.03.2000", DateOrder::day_first), 11017.0);
  EXPECT_EQ(*read_date("3/1/2000", DateOrder::month_first), 11017.0);
  EXPECT_EQ(*read_date("2000-03-01T12:00:00Z", DateOrder::year_first), 11017.5);
  EXPECT_EQ(*read_date("2000-03-01 06:00", DateOrder::year_first), 11017.25);
  for (const char* text : {"2000-13-01", "2000-02-30", "40-49", "2000-03-01x", "00-03-01", "2000/03-01"}) {
    EXPECT_FALSE(read_date(text, DateOrder::year_first)) << text;
  }
  const CalendarDay day = calendar_day(11017.25);
  EXPECT_EQ(day.year, 2000);
  EXPECT_EQ(day.month, 3);
  EXPECT_EQ(day.weekday, 2);  // a Wednesday
}

}  // namespace
}  // namespace priorfit::internal

#include "data/numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <clocale>
#include <cmath>

#include "data/dates.hpp"
#include "data/quick_number.hpp"

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

TEST(ReadNumber, TakesOffWhatPeopleAdd) {
  EXPECT_EQ(number("$1,234.50"), 1234.5);
  EXPECT_EQ(number("-$5"), -5.0);
  EXPECT_EQ(number("€ 12.5"), 12.5);
  EXPECT_EQ(number("1.234.567,89 EUR", ','), 1234567.89);
  EXPECT_EQ(number("12 %"), 12.0);
  EXPECT_EQ(number("1'000"), 1000.0);
  EXPECT_EQ(number("12 345 678"), 12345678.0);
  EXPECT_EQ(number("(5.5)"), -5.5);
  EXPECT_EQ(number("\u22126.5"), -6.5);
  double value = 0;
  bool dressed = false;
  EXPECT_EQ(read_number("1,234", '.', value, &dressed), Numeral::finite);
  EXPECT_TRUE(dressed);
  for (const char* text :
       {"1,23", "12,34,567", "1,2345", "0,123", "$", "%", "()", "5 cm", "$x", "1,234'567", "40-49"}) {
    EXPECT_EQ(read_number(text, '.', value), Numeral::text) << text;
  }
  EXPECT_EQ(read_plain("$5", '.', value), Numeral::text);
}

TEST(TruthValue, KnowsSixSpellingsOfEach) {
  for (const char* text : {"true", "YES", "t", "Y", "On", "1"}) EXPECT_EQ(truth_value(text), true) << text;
  for (const char* text : {"False", "no", "F", "n", "off", "0"}) EXPECT_EQ(truth_value(text), false) << text;
  for (const char* text : {"", "ja", "2", "tr"}) EXPECT_EQ(truth_value(text), std::nullopt) << text;
}

// Every number of up to 19 digits, at and around the middle between two doubles as well.
RC_GTEST_PROP(QuickNumber, RoundsAsTheLibraryDoes, ()) {
  const auto digits = *rc::gen::inRange<std::uint64_t>(1, 10000000000000000000ULL);
  const int shift = *rc::gen::inRange(0, 60), power = *rc::gen::inRange(-27, 28);
  const std::string text = std::to_string((digits >> shift) | 1U) + "e" + std::to_string(power);
  double value = 0, expected = 0;
  RC_ASSERT(quick_number(text.data(), text.data() + text.size(), '.', value) == text.data() + text.size());
  std::from_chars(text.data(), text.data() + text.size(), expected);
  RC_ASSERT(value == expected);
}

TEST(QuickNumber, RoundsHalvesToEven) {
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t half = ((std::uint64_t{1} << 52 | state >> 12) << 1) + 1;  // 54 bits: between two doubles
    for (const std::uint64_t tenfold : {half * 10 - 1, half * 10, half * 10 + 1}) {
      const std::string text = std::to_string(tenfold / 10) + "." + std::to_string(tenfold % 10);
      double value = 0, expected = 0;
      ASSERT_NE(quick_number(text.data(), text.data() + text.size(), '.', value), nullptr) << text;
      std::from_chars(text.data(), text.data() + text.size(), expected);
      ASSERT_EQ(value, expected) << text;
    }
  }
}

TEST(QuickNumber, LeavesTheRestToOthers) {
  double value = 0;
  for (const std::string text : {"", "-", ".", "x", "007", "12345678901234567890", "1e", "1e99", "1e-300", "1e99999"}) {
    EXPECT_EQ(quick_number(text.data(), text.data() + text.size(), '.', value), nullptr) << text;
  }
  const std::string_view comma = "1,5;2";
  EXPECT_EQ(quick_number(comma.data(), comma.data() + comma.size(), ',', value), comma.data() + 3);
  EXPECT_EQ(value, 1.5);
  const std::string_view small = "0.000000000000000012345";
  EXPECT_EQ(quick_number(small.data(), small.data() + small.size(), '.', value), small.data() + small.size());
  EXPECT_EQ(value, 0.000000000000000012345);
  const std::string_view minus = "-0.0";
  quick_number(minus.data(), minus.data() + minus.size(), '.', value);
  EXPECT_TRUE(std::signbit(value));
}

TEST(ReadDate, KnowsHowPeopleWriteThem) {
  const double day = 18687;  // (date(2021, 3, 1) - date(1970, 1, 1)).days
  for (const char* text : {"1 Mar 2021", "01-Mar-21", "March 1, 2021", "Mar 1 2021", "2021-03-01", "20210301"}) {
    EXPECT_EQ(read_date(text, DateOrder::year_first), day) << text;
  }
  EXPECT_EQ(read_date("3/1/21", DateOrder::month_first), day);
  EXPECT_EQ(read_date("01.03.21", DateOrder::day_first), day);
  EXPECT_EQ(read_date("2021-03-01", DateOrder::day_first), day);
  EXPECT_EQ(read_date("3/1/2021 6:00 PM", DateOrder::month_first), day + 0.75);
  EXPECT_EQ(read_date("3/1/2021 12:00 AM", DateOrder::month_first), day);
  for (const char* text : {"March 2021", "1 Max 2021", "99999999", "12345678", "3/1/2021 13:00 PM", "20211301"}) {
    EXPECT_FALSE(read_date(text, DateOrder::year_first)) << text;
  }
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

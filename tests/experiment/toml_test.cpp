#include "experiment/toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

using ::testing::HasSubstr;

/// Of `key = VALUE`.
template <typename T>
T value(const std::string& text) {
  const auto entries = parse_toml("key = " + text, "x");
  EXPECT_EQ(entries.size(), 1u);
  return std::get<T>(entries.at(0).value.content);
}

std::string failure(const std::string& toml) {
  try {
    parse_toml(toml, "my.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

TEST(Toml, ReadsSectionsKeysAndLines) {
  const auto entries = parse_toml(
      "\xEF\xBB\xBF# about\r\n[ data ] # here\r\nsource = 'a' # b\n\n\"target\" = \"b\"\n[x.y]\n"
      "p.q=1\nr = [ # first\n 1, # one\n 2,\n]\nlast = true",
      "x");
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].key, "data.source");
  EXPECT_EQ(entries[0].line, 3);
  EXPECT_EQ(entries[1].key, "data.target");
  EXPECT_EQ(entries[1].line, 5);
  EXPECT_EQ(entries[2].key, "x.y.p.q");
  EXPECT_EQ(std::get<std::vector<TomlValue>>(entries[3].value.content).size(), 2u);
  EXPECT_EQ(entries[4].line, 12);
  EXPECT_TRUE(std::get<bool>(entries[4].value.content));
  EXPECT_TRUE(parse_toml("", "x").empty());
  EXPECT_TRUE(std::get<std::vector<TomlValue>>(parse_toml("a = []", "x")[0].value.content).empty());
}

TEST(Toml, ReadsNumbers) {
  EXPECT_EQ(value<std::int64_t>("0"), 0);
  EXPECT_EQ(value<std::int64_t>("-12"), -12);
  EXPECT_EQ(value<std::int64_t>("+1_000"), 1000);
  EXPECT_EQ(value<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value<double>("0.1"), 0.1);
  EXPECT_EQ(value<double>("-1e-06"), -1e-6);
  EXPECT_EQ(value<double>("6.25E+2"), 625.0);
  EXPECT_EQ(value<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value<double>("nan")));
}

TEST(Toml, ReadsText) {
  EXPECT_EQ(value<std::string>("\"\""), "");
  EXPECT_EQ(value<std::string>("'C:\\new'"), "C:\\new");
  EXPECT_EQ(value<std::string>(R"("a\tb\n\"\\\u00e9\U0001F600")"), "a\tb\n\"\\\u00e9\U0001F600");
  EXPECT_EQ(value<std::string>("\"h\u00e9 # no comment\""), "h\u00e9 # no comment");
}

TEST(Toml, NamesTheLineOfAMistake) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"[a", "']' should close"},
      {"[]", "a name should stand where ']' is"},
      {"[#x]", "a name should stand where '#' is"},
      {"[\xc3\xa9]", "the byte 0xc3"},
      {"[[a]]", "lists of sections"},
      {"[a] b", "'b' follows where the line should end"},
      {"[a]\n[a]", "the section [a] is there twice"},
      {"a", "'=' should follow a where the end of the line is"},
      {"a = ", "a value should stand where the end of the line is"},
      {"a = 1 2", "'2' follows where the line should end"},
      {"a = 1\na = 2", "a is there twice"},
      {"a = relu", "'relu' is neither a number"},
      {"a = 007", "is neither a number"},
      {"a = 1.", "is neither a number"},
      {"a = .5", "is neither a number"},
      {"a = 1__0", "is neither a number"},
      {"a = 1_", "is neither a number"},
      {"a = 0x10", "is neither a number"},
      {"a = 1e", "is neither a number"},
      {"a = 9223372036854775808", "is out of range"},
      {"a = 1e999", "is out of range"},
      {"a = 1979-05-27", "is neither a number"},
      {"a = 1979-05-27Tevery07:32:00", "is neither a number"},
      {"a = 979'1\xd0\x9d", "''' follows where the line should end"},
      {"a = {b = 1}", "a value should stand where '{' is"},
      {"a = [}", "a value should stand where '}' is"},
      {"a = [1 2]", "',' or ']' should follow"},
      {"a = [,]", "a value should stand where ',' is"},
      {"a = [[1]]", "a list within a list"},
      {"a = [1,", "a value should stand"},
      {"a = \"b", "\" should close the text before the end of the line"},
      {"a = 'b\r\n'", "' should close the text before the end of the line"},
      {"a = \"\"\"b\"\"\"", "over several lines"},
      {"a = \"\\x\"", "a backslash must be followed"},
      {"a = \"\\ud800\"", "a backslash must be followed"},
      {"a = \"\\u12", "a backslash must be followed"},
      {"a = 'b\x01'", "should close the text before the byte 0x01"},
      {"# \x01", "the control character 0x01"},
      {"a = 1 \xd2\x96", "the byte 0xd2 follows"},
  };
  for (const auto& [text, expected] : mistakes) {
    EXPECT_THAT(failure(text), AllOf(HasSubstr("my.toml, line "), HasSubstr(expected))) << text;
  }
  EXPECT_THAT(failure("\n\n[a]\nb = [\n1,\n?]\n"), HasSubstr("my.toml, line 6: a value should stand where '?' is"));
  EXPECT_THAT(failure(std::string("[a\0]", 4)), HasSubstr("the byte 0x00"));
}

}  // namespace
}  // namespace priorfit::internal

#include "support/json_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "helpers.hpp"

namespace priorfit::internal {
namespace {

using test::expect_error;

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i > 0 ? "," : "") + text;
  return all;
}

TEST(JsonReader, GivesWhatTheLibrarysOwnParserGives) {
  for (const std::string text :
       {R"({"b":1,"a":[1,-2,2.5,"x",true,null,{"c":{}}],"d":""})", "[]", "{}", "3", "\"x\"", "  [[], [[]]] "}) {
    EXPECT_EQ(read_json(text, {}, "test"), Json::parse(text)) << text;
  }
}

TEST(JsonReader, RefusesWhatIsNotSoundJson) {
  const auto refused = [](const std::string& text, const JsonLimits& limits, const std::string& part) {
    expect_error(
        ErrorKind::data, [&] { read_json(text, limits, "name"); }, part);
  };
  refused("{", {}, "name: not JSON");
  refused("", {}, "name: not JSON");
  refused("{} {}", {}, "name: not JSON");
  refused(std::string("{}\0", 3), {}, "zero byte");
  refused(R"({"a":1,"b":2,"a":3})", {}, "the name 'a' is there twice");
  refused(R"({"x":[{"a":1,"a":3}]})", {}, "the name 'a' is there twice");
  refused("[[[[]]]]", {.deepest = 3}, "nested more than 3 deep");
  refused("[" + repeated("1", 11) + "]", {.most_values = 11}, "more than 11 values");
  EXPECT_NO_THROW(read_json("[[[]]]", {.deepest = 3}, "name"));
  EXPECT_NO_THROW(read_json("[" + repeated("1", 11) + "]", {.most_values = 12}, "name"));
}

TEST(JsonReader, PassesOverWhatIsNotKept) {
  const auto keeps = [](std::string_view name) { return name == "a"; };
  const Json kept =
      read_json(R"({"x":{"a":1},"a":{"x":[1,[2,{"y":3}]]},"z":[]})", {.keeps = keeps, .deepest_kept = 3}, "t");
  EXPECT_EQ(kept, Json::parse(R"({"a":{"x":[1,[]]}})"));
}

// With time that grows as the square, these take minutes.
TEST(JsonReader, TakesTimeInProportionToTheLength) {
  EXPECT_EQ(read_json("[" + repeated("{}", 200'000) + "]", {}, "t").size(), 200'000U);
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{}\"name{}\":{{}}", i > 0 ? "," : "", i);
  EXPECT_EQ(read_json(text + "}", {}, "t").size(), 200'000U);
}

}  // namespace
}  // namespace priorfit::internal

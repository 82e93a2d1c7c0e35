#include "priorfit/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.hpp"
#include "priorfit/error.hpp"
#include "report/page.hpp"
#include "report/results.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::Scratch;
using testing::HasSubstr;
using testing::Not;

template <typename Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "nothing was thrown");
}

Json experiment(int cells, int epochs) {
  Json result = {{"schema", "priorfit.experiment/1"}, {"sizes", Json::array()}};
  Json size = {{"size", 1000}, {"cells", Json::array()}};
  for (int i = 0; i < cells; ++i) {
    Json curve = Json::array();
    for (int e = 0; e < epochs; ++e) curve.push_back(0.123456789 + e * 1e-3);
    size["cells"].push_back({{"seed", i}, {"curve", curve}, {"train_curve", curve}});
  }
  result["sizes"].push_back(size);
  return result;
}

Json parsed(const std::string& text) { return Json::parse(text); }

TEST(Results, ReadsThoseThatAreThereInTheOrderOfThePage) {
  const Scratch scratch;
  scratch.file("simulation.json", R"({"schema": "priorfit.simulation/1"})");
  scratch.file("recommendation.json", R"({"schema": "priorfit.recommendation/1"})");
  scratch.file("grid.csv", "a,b");
  const auto results = read_results(scratch.path(""));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["schema"], "priorfit.recommendation/1");
  EXPECT_EQ(results[1]["schema"], "priorfit.simulation/1");
}

TEST(Results, NestedBeyondAnyResultAreRefused) {
  const Scratch scratch;
  const auto nested = [&](std::size_t levels) {
    scratch.file("recommendation.json", R"({"schema": "priorfit.recommendation/1", "a": )" + std::string(levels, '[') +
                                            std::string(levels, ']') + "}");
    return error_of([&] { embedded_results(read_results(scratch.path("")), 1'000'000); });
  };
  EXPECT_STREQ(nested(50).what(), "nothing was thrown");
  EXPECT_EQ(nested(1'000'000).kind(), ErrorKind::data);
  EXPECT_THAT(nested(1'000'000).what(), HasSubstr("nested more than 64 deep"));
}

TEST(Results, AStrideInTheFileIsNotTrusted) {
  Json result = experiment(1, 400);
  result["curve_stride"] = "x";
  EXPECT_EQ(parsed(embedded_results({result}, 1500))["results"][0]["curve_stride"], 4);
}

TEST(Results, MissingFolderAndEmptyFolderAreToldApart) {
  const Scratch scratch;
  EXPECT_EQ(error_of([&] { read_results(scratch.path("none")); }).kind(), ErrorKind::io);
  EXPECT_EQ(error_of([&] { read_results(scratch.file("plain", "")); }).kind(), ErrorKind::io);
  const Error empty = error_of([&] { read_results(scratch.path("")); });
  EXPECT_EQ(empty.kind(), ErrorKind::data);
  EXPECT_THAT(empty.what(), HasSubstr("priorfit recommend DATA --out"));
}

TEST(Results, WhatIsNoSuchResultIsNamed) {
  for (const char* content : {"", "{", "[1]", "{}", R"({"schema": 1})", R"({"schema": "priorfit.simulation/1"})"}) {
    const Scratch scratch;
    scratch.file("recommendation.json", content);
    const Error error = error_of([&] { read_results(scratch.path("")); });
    EXPECT_EQ(error.kind(), ErrorKind::data) << content;
    EXPECT_THAT(error.what(), HasSubstr("recommendation.json")) << content;
  }
}

TEST(Results, NothingInAStringCanEndTheScriptElement) {
  const std::string name = "</script><img src=x onerror=alert(1)><!--";
  const std::string text = embedded_results({{{"schema", "x"}, {"data", {{"name", name}}}}}, 1000);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(parsed(text)["results"][0]["data"]["name"], name);
}

TEST(Results, BytesThatAreNotTextDoNotStopThePage) {
  const std::string text = embedded_results({{{"schema", "x"}, {"name", "caf\xe9"}}}, 1000);
  EXPECT_EQ(parsed(text)["results"][0]["name"], "caf\xef\xbf\xbd");
}

TEST(Results, ShortCurvesAreKeptWholeToFourDigits) {
  const Json cell = parsed(embedded_results({experiment(1, 9)}, 100'000))["results"][0]["sizes"][0]["cells"][0];
  EXPECT_EQ(cell["curve"].size(), 9u);
  EXPECT_EQ(cell["epochs"], 9);
  EXPECT_DOUBLE_EQ(cell["curve"][0].get<double>(), 0.1235);
  EXPECT_FALSE(cell.contains("train_curve"));
}

TEST(Results, TrainingCurvesOfAccuracyAreKeptAndThinnedLikeTheOthers) {
  Json result = experiment(1, 400);
  Json& cell = result["sizes"][0]["cells"][0];
  cell["accuracy"] = 0.9;
  cell["train_curve"][399] = 0.987654;
  const Json thinned = parsed(embedded_results({result}, 3000))["results"][0]["sizes"][0]["cells"][0];
  EXPECT_LT(thinned["curve"].size(), 400u);
  EXPECT_EQ(thinned["train_curve"].size(), thinned["curve"].size());
  EXPECT_DOUBLE_EQ(thinned["train_curve"].back().get<double>(), 0.9877);
}

TEST(Results, LongCurvesAreThinnedToFitAndKeepTheirLastEpoch) {
  const std::size_t limit = 20'000;
  const std::string text = embedded_results({experiment(30, 250)}, limit);
  EXPECT_LE(text.size(), limit);
  const Json result = parsed(text)["results"][0];
  const int stride = result["curve_stride"];
  const Json cell = result["sizes"][0]["cells"][0];
  EXPECT_GT(stride, 1);
  EXPECT_EQ(cell["epochs"], 250);
  EXPECT_DOUBLE_EQ(cell["curve"].back().get<double>(), 0.3725);    // epoch 250
  EXPECT_DOUBLE_EQ((*(cell["curve"].rbegin() + 1)).get<double>(),  // and one stride before it
                   std::round((0.123456789 + (249 - stride) * 1e-3) * 1e4) / 1e4);
}

TEST(Results, WhatCannotFitIsAnErrorNotAHugePage) {
  const Json huge = {{"schema", "x"}, {"name", std::string(5000, 'a')}};
  EXPECT_EQ(error_of([&] { embedded_results({huge}, 4000); }).kind(), ErrorKind::resource);
}

TEST(Page, BuildWithoutNodeSaysWhatIsMissing) {
  const Error error = error_of([] { unpack_page(""); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.what(), HasSubstr("nodejs and npm"));
}

TEST(Page, ResultsGoToTheirOnePlace) {
  EXPECT_EQ(fill_page("<a>{{results}}</a>", "{{results}} $& \\1"), "<a>{{results}} $& \\1</a>");
  EXPECT_EQ(error_of([] { fill_page("<a></a>", ""); }).kind(), ErrorKind::internal);
}

TEST(Page, IsOneFileBesideTheResults) {
  try {
    require_report();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const Scratch scratch;
  scratch.file("simulation.json", R"({"schema": "priorfit.simulation/1", "note": "x"})");
  EXPECT_EQ(write_report(scratch.path("")), scratch.path("") + "report.html");
  const std::string page = test::read_all(scratch.path("report.html"));
  EXPECT_LT(page.size(), report_byte_limit);
  EXPECT_THAT(page, HasSubstr(R"("note":"x")"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* place : {"{{results}}", "{{policy}}", "{{script}}", "{{style}}"})
    EXPECT_THAT(page, Not(HasSubstr(place)));
}

}  // namespace
}  // namespace priorfit

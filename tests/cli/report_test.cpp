// priorfit report and --report as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

bool without_page(const Outcome& outcome) {
  return outcome.err.find("built without the report page") != std::string::npos;
}

TEST(Report, WritesThePageAndPrintsWhere) {
  const Scratch scratch;
  scratch.file("recommendation.json", R"({"schema": "priorfit.recommendation/1"})");
  const Outcome outcome = priorfit({"report", scratch.path("")});
  if (without_page(outcome)) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, scratch.path("") + "report.html\n");
  EXPECT_THAT(read_all(scratch.path("report.html")), HasSubstr("priorfit.recommendation/1"));
}

TEST(Report, WrongFoldersHaveTheirExitCodes) {
  const Scratch scratch;
  if (const Outcome o = priorfit({"report", scratch.path("none")}); without_page(o)) GTEST_SKIP() << o.err;
  EXPECT_EQ(priorfit({"report"}).code, 2);
  EXPECT_EQ(priorfit({"report", scratch.path("none")}).code, 5);
  EXPECT_EQ(priorfit({"report", scratch.path("")}).code, 3);
  scratch.file("experiment.json", "{");
  const Outcome broken = priorfit({"report", scratch.path("")});
  EXPECT_EQ(broken.code, 3);
  EXPECT_THAT(broken.err, HasSubstr("experiment.json"));
}

TEST(Report, RecommendWritesItOnRequest) {
  const Scratch scratch;
  const Outcome outcome =
      priorfit({"recommend", "digits", "--samples", "60", "--out", scratch.path("it's here"), "--report"});
  if (without_page(outcome)) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("report.html"));
  EXPECT_THAT(read_all(scratch.path("it's here/report.html")), HasSubstr("Content-Security-Policy"));
  const auto json = nlohmann::json::parse(read_all(scratch.path("it's here/recommendation.json")));
  EXPECT_EQ(json.at("command"),
            "priorfit recommend digits --samples 60 --out '" + scratch.path("it'\\''s here") + "' --report");
  EXPECT_FALSE(json.at("version").get<std::string>().empty());
}

TEST(Report, EveryCommandWithAPageWritesItOnRequest) {
  const Scratch scratch;
  const std::string out = scratch.path("all");
  const std::vector<std::vector<std::string>> commands = {
      {"simulate", "--seeds", "1"},
      {"predict", "digits", "--samples", "60"},
      {"experiment", "--data", "digits", "--sizes", "40", "--epochs", "2", "--width", "8", "--weight-variances", "1,2",
       "--bias-variances", "0"},
  };
  for (std::vector<std::string> command : commands) {
    for (const std::string& word : {std::string("--out"), out, std::string("--report")}) command.push_back(word);
    const Outcome outcome = priorfit(command);
    if (without_page(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.code, 0) << command[0] << ": " << outcome.err;
    EXPECT_THAT(read_all(out + "/report.html"), HasSubstr("\"command\":\"priorfit " + command[0]));
  }
  EXPECT_EQ(priorfit({"experiment", "--show", "--out", out, "--report"}).code, 0);
}

TEST(Report, NeedsAFolder) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"recommend", "digits", "--samples", "60", "--report"},
                                             {"simulate", "--seeds", "1", "--report"},
                                             {"predict", "digits", "--samples", "60", "--out", "p.csv", "--report"}}) {
    const Outcome outcome = priorfit(command);
    EXPECT_EQ(outcome.code, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("--report needs --out")) << command[0];
  }
}

}  // namespace
}  // namespace priorfit::cli

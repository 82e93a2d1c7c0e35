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
  const Outcome outcome = priorfit({"recommend", "digits", "--criterion", "evidence", "--samples", "60", "--out",
                                    scratch.path("it's here"), "--report"});
  if (without_page(outcome)) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("report.html"));
  EXPECT_THAT(read_all(scratch.path("it's here/report.html")), HasSubstr("Content-Security-Policy"));
  const auto json = nlohmann::json::parse(read_all(scratch.path("it's here/recommendation.json")));
  EXPECT_EQ(json.at("command"), "priorfit recommend digits --criterion evidence --samples 60 --out '" +
                                    scratch.path("it'\\''s here") + "' --report");
  EXPECT_FALSE(json.at("version").get<std::string>().empty());
}

TEST(Report, EveryCommandWithAPageWritesItOnRequest) {
  const Scratch scratch;
  const std::vector<std::vector<std::string>> commands = {
      {"simulate", "--seeds", "1"},
      {"predict", "digits", "--samples", "60"},
      {"experiment", "--data", "digits", "--sizes", "40", "--epochs", "2", "--width", "8", "--weight-variances", "1,2",
       "--bias-variances", "0"},
  };
  for (std::vector<std::string> command : commands) {
    const std::string out = scratch.path(command[0]);
    for (const std::string& word : {std::string("--out"), out, std::string("--report")}) command.push_back(word);
    const Outcome outcome = priorfit(command);
    if (without_page(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.code, 0) << command[0] << ": " << outcome.err;
    EXPECT_THAT(read_all(out + "/report.html"), HasSubstr("\"command\":\"priorfit " + command[0]));
  }
  EXPECT_EQ(priorfit({"experiment", "--show", "--out", scratch.path("experiment"), "--report"}).code, 0);
}

TEST(Report, NewResultsNeverStandBesideAnOldPage) {
  const Scratch scratch;
  const std::string out = scratch.path("r"), page = scratch.path("r/report.html");
  const auto recommend = [&](const char* samples, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"recommend", "digits", "--grid", "paper", "--samples", samples, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    return priorfit(words);
  };
  const Outcome first = recommend("60", {"--report"});
  if (without_page(first)) GTEST_SKIP() << first.err;
  EXPECT_THAT(read_all(page), HasSubstr("--samples 60"));

  const Outcome second = recommend("50", {});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("wrote " + page));
  EXPECT_THAT(read_all(page), HasSubstr("--samples 50"));
  EXPECT_THAT(read_all(page), testing::Not(HasSubstr("--samples 60")));

  // Another result of the folder is broken: no page can be made, and the old one does not stay.
  scratch.file("r/experiment.json", "{");
  const Outcome third = recommend("40", {});
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_THAT(third.err, HasSubstr("was removed"));
  EXPECT_THAT(third.err, HasSubstr("experiment.json"));
  EXPECT_FALSE(std::filesystem::exists(page));
  EXPECT_EQ(recommend("40", {"--report"}).code, 3);

  // Where there was none, none comes.
  std::filesystem::remove(scratch.path("r/experiment.json"));
  EXPECT_EQ(recommend("40", {}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(Report, EveryCommandRenewsThePage) {
  const Scratch scratch;
  const std::vector<std::vector<std::string>> commands = {
      {"simulate", "--seeds", "1"},
      {"predict", "digits", "--samples", "60"},
      {"phase", "--weight-variances", "1,2", "--bias-variances", "0"},
      {"train", "digits", "--samples", "60", "--width", "8", "--epochs", "2"},
      {"experiment", "--data", "digits", "--sizes", "40", "--epochs", "2", "--width", "8", "--weight-variances", "1,2",
       "--bias-variances", "0"}};
  for (std::vector<std::string> words : commands) {
    const std::string out = scratch.path(words[0]);
    std::filesystem::create_directory(out);
    scratch.file(words[0] + "/report.html", "an earlier page");
    words.insert(words.end(), {"--out", out});
    const Outcome outcome = priorfit(words);
    EXPECT_EQ(outcome.code, 0) << words[0] << outcome.err;
    if (without_page(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_THAT(read_all(out + "/report.html"), HasSubstr("Content-Security-Policy")) << words[0];
  }
}

TEST(Report, NeedsAFolder) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"recommend", "digits", "--criterion", "evidence", "--samples", "60", "--report"},
           {"simulate", "--seeds", "1", "--report"},
           {"predict", "digits", "--samples", "60", "--out", "p.csv", "--report"}}) {
    const Outcome outcome = priorfit(command);
    EXPECT_EQ(outcome.code, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("--report needs --out")) << command[0];
  }
}

}  // namespace
}  // namespace priorfit::cli

// priorfit predict as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Predict, PrintsTheFiguresAndWritesPredictions) {
  const Scratch scratch;
  const Outcome outcome =
      priorfit({"predict", "digits", "--samples", "200", "--weight-variance", "2.8", "--out", scratch.path("run")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"accuracy", "negative log predictive density", "coverage of the 95 % interval", "σ_w² = 2.8",
                           "noise variance 1e-06", "tested on 359 rows"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const auto json = nlohmann::json::parse(read_all(scratch.path("run/prediction.json")));
  EXPECT_EQ(json.at("schema"), "priorfit.prediction/1");
  EXPECT_GT(json.at("accuracy").get<double>(), 0.9);
  const std::string csv = read_all(scratch.path("run/predictions.csv"));
  EXPECT_THAT(csv, StartsWith("row,true,predicted,mean_0,deviation_0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 360);
}

TEST(Predict, OutMayBeAFile) {
  const Scratch scratch;
  const std::vector<std::string> words = {"predict", "digits", "--samples", "50", "--quiet", "--out"};
  auto csv = words, npy = words;
  csv.push_back(scratch.path("p.csv"));
  npy.push_back(scratch.path("p.npy"));
  EXPECT_EQ(priorfit(csv).code, 0);
  EXPECT_EQ(priorfit(npy).code, 0);
  EXPECT_THAT(read_all(scratch.path("p.csv")), StartsWith("row,"));
  EXPECT_THAT(read_all(scratch.path("p.npy")), AllOf(StartsWith("\x93NUMPY"), HasSubstr("(2, 359, 10)")));
  npy.back() = scratch.path("nowhere/p.npy");
  EXPECT_EQ(priorfit(npy).code, 5);
}

TEST(Predict, TakesARecommendation) {
  const Scratch scratch;
  ASSERT_EQ(priorfit({"recommend", "digits", "--samples", "100", "--depth", "2", "--noise", "0.001", "--quiet", "--out",
                      scratch.path("r")})
                .code,
            0);
  const std::string file = scratch.path("r/recommendation.json");
  const auto stored = nlohmann::json::parse(read_all(file));
  const Outcome outcome = priorfit({"predict", "digits", "--samples", "100", "--from", file, "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("prior").at("weight_variance"), stored.at("recommended").at("weight_variance"));
  EXPECT_EQ(json.at("noise_variance"), 0.001);
  EXPECT_EQ(json.at("network").at("depth"), 2);
  EXPECT_EQ(priorfit({"predict", "digits", "--from", file, "--noise", "1"}).code, 2);
  EXPECT_EQ(priorfit({"predict", "digits", "--from", scratch.path("none.json")}).code, 5);
}

TEST(Predict, RegressionIsInTheTargetsUnits) {
  const Scratch scratch;
  std::string train = "x,y\n", test = "x,y\n";
  for (int i = 0; i < 60; ++i) {
    const auto line = [](double x) {
      return std::to_string(x) + "," + std::to_string(1000 + 100 * std::sin(x)) + "\n";
    };
    train += line(0.1 * i);
    if (i % 6 == 0) test += line(0.1 * i + 0.05);
  }
  const Outcome outcome =
      priorfit({"predict", scratch.file("train.csv", train), "--test-data", scratch.file("test.csv", test),
                "--bias-variance", "1", "--format", "json", "--out", scratch.path("p.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(json.contains("accuracy"));
  EXPECT_LT(json.at("rmse").get<double>(), 1.0);
  EXPECT_THAT(read_all(scratch.path("p.csv")),
              AllOf(StartsWith("row,true_y,mean_y,deviation_y\n"), HasSubstr("\n0,1004.")));
}

TEST(Predict, ExplainsWhatIsWrong) {
  EXPECT_EQ(priorfit({"predict", "digits", "--weight-variance", "-1"}).code, 2);
  EXPECT_EQ(priorfit({"predict", "digits", "--noise", "-1"}).code, 2);
  EXPECT_EQ(priorfit({"predict", "digits", "--test-fraction", "0"}).code, 2);
  EXPECT_THAT(priorfit({"predict", "digits", "--test-fraction", "0"}).err, HasSubstr("no test rows"));
  const Outcome unknown = priorfit({"predict", "digits", "--wieght-variance", "2"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--weight-variance"));
}

}  // namespace
}  // namespace priorfit::cli

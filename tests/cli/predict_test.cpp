// priorfit predict as a user meets it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Predict, PrintsTheFiguresAndWritesPredictions) {
  const Scratch scratch;
  const Outcome outcome = priorfit({"predict", "digits", "--samples", "200", "--weight-variance", "2.8", "--noise",
                                    "1e-6", "--out", scratch.path("run")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"accuracy", "negative log predictive density", "coverage of the 95 % interval", "σ_w² = 2.8",
                           "noise variance 1e-06", "on 359 rows"}) {
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

// An answer of criterion "auto" names no noise: it keeps or changes a start for training.
TEST(Predict, TakesAnAnswerAndFitsItsNoise) {
  const Scratch scratch;
  const Outcome answer = priorfit({"recommend", "digits", "--samples", "150", "--budget", "0", "--current", "1,0,0.5",
                                   "--quiet", "--out", scratch.path("r")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string file = scratch.path("r/recommendation.json");
  const auto stored = nlohmann::json::parse(read_all(file));
  ASSERT_EQ(stored.at("criterion"), "auto");
  ASSERT_FALSE(stored.at("recommended").contains("noise_variance"));
  const Outcome outcome = priorfit({"predict", "digits", "--samples", "150", "--from", file, "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("noise_chosen_by"), "evidence");
  EXPECT_EQ(json.at("layers"), stored.at("recommended").at("layers"));
  EXPECT_GT(json.at("accuracy").get<double>(), 0.85);
  EXPECT_THAT(priorfit({"predict", "digits", "--samples", "150", "--from", file, "--quiet"}).out,
              HasSubstr("(the noise by the"));
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

// A plain table: a function of two inputs and noise of 0.3. He's pair with a noise of 1e-6 held 31.7 % in its "95 %".
TEST(Predict, DefaultIntervalsHoldWhatTheyPromise) {
  const Scratch scratch;
  std::string text = "a,b,y\n";
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 400; ++i) {
    const double a = normal(engine), b = normal(engine);
    text += fmt::format("{},{},{}\n", a, b, std::sin(a) + 0.5 * b + 0.3 * normal(engine));
  }
  const Outcome outcome = priorfit({"predict", scratch.file("t.csv", text), "--format", "json", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("chosen_by"), "evidence");
  EXPECT_GT(json.at("coverage95").get<double>(), 0.88);  // 80 rows: 0.95 less 3 standard errors
  EXPECT_LT(json.at("rmse").get<double>(), 0.4);
  EXPECT_EQ(json.at("points").size(), 80u);
  EXPECT_THAT(json.at("sentences").at(0).at("text").get<std::string>(), HasSubstr("about as wide as they should be"));
  const Outcome he =
      priorfit({"predict", scratch.path("t.csv"), "--weight-variance", "2", "--noise", "1e-6", "--quiet"});
  EXPECT_THAT(he.out, HasSubstr("they are too narrow"));
}

TEST(Predict, CountsEveryTestRowInTheConfusionMatrix) {
  const Outcome outcome = priorfit({"predict", "digits", "--samples", "150", "--format", "json", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  int rows = 0, right = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 10; ++j) rows += json.at("confusion").at(i).at(j).get<int>();
    right += json.at("confusion").at(i).at(i).get<int>();
  }
  EXPECT_EQ(rows, 359);
  EXPECT_NEAR(right / 359.0, json.at("accuracy").get<double>(), 1e-12);
  EXPECT_EQ(json.at("classes").size(), 10u);
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

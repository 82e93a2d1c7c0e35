// priorfit simulate as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

TEST(Simulate, ReportsAndWritesFiles) {
  const Scratch scratch;
  const Outcome outcome = priorfit({"simulate", "--seeds", "3", "--out", scratch.path("s")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("of 3 seeds"), HasSubstr("test values"), HasSubstr("covariance K/n")));
  const auto json = nlohmann::json::parse(read_all(scratch.path("s/simulation.json")));
  EXPECT_EQ(json.at("target"), "paths");
  EXPECT_EQ(json.at("recovery").at("seeds"), 3);
  const std::string csv = read_all(scratch.path("s/seeds.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST(Simulate, TakesTargetNoiseAndGrid) {
  const Outcome outcome = priorfit({"simulate", "--seeds", "1", "--target", "mean", "--noise", "1e-4",
                                    "--weight-variances", "1,2", "--bias-variances", "0.01", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("target"), "mean");
  EXPECT_EQ(json.at("noise_variance"), 1e-4);
  EXPECT_EQ(json.at("example").at("grid").size(), 2u);
}

TEST(Simulate, ExplainsWhatIsWrong) {
  const Outcome outcome = priorfit({"simulate", "--target", "maen"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'mean'"));
  EXPECT_EQ(priorfit({"simulate", "--seeds", "0"}).code, 2);
  EXPECT_EQ(priorfit({"simulate", "--noise", "0"}).code, 2);
}

}  // namespace
}  // namespace priorfit::cli

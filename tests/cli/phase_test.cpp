// priorfit phase as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

TEST(Phase, DrawsTheMapWithItsCriticalLine) {
  const Outcome outcome = priorfit({"phase", "--activation", "tanh", "--depth", "20"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1.760955"), HasSubstr("0.570048"), HasSubstr("dies within 20 layers")));
}

TEST(Phase, WritesJsonCsvAndFiles) {
  const Scratch scratch;
  const Outcome outcome = priorfit({"phase", "--weight-variances", "1,2,3", "--bias-variances", "0,0.1", "--format",
                                    "json", "--out", scratch.path("p")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("cells").size(), 6u);
  EXPECT_EQ(json.at("cells").at(1).at("phase"), "critical");
  EXPECT_TRUE(json.at("cells").at(4).at("fixed_point").is_null());  // infinity
  ASSERT_EQ(json.at("critical_line").size(), 1u);                   // ReLU has none with a bias
  EXPECT_EQ(json.at("critical_line").at(0).at("weight_variance"), 2.0);
  EXPECT_EQ(json.at("critical_line").at(0).at("reached"), true);
  const std::string csv = read_all(scratch.path("p/phase.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
}

// The letters are those of `survives`, whatever becomes of the variance: ReLU's χ₁ at 2.25 is 1.125.
TEST(Phase, CapitalsAreThePairsASignalSurvives) {
  const Outcome outcome = priorfit({"phase", "--weight-variances", "0.5,1.75,2.25,4", "--bias-variances", "0.1"});
  EXPECT_THAT(outcome.out, testing::ContainsRegex("0\\.1    o     O     C  c"));
}

// GELU at σ_b² = 0.1: from variance 1 the signal falls to 0.42, the critical fixed point is 1.63.
TEST(Phase, MarksCriticalPointsThatAreNotReached) {
  const Outcome outcome = priorfit({"phase", "--activation", "gelu", "--bias-variances", "0.1,0.5"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("2.076676  1.63243 † 2."), HasSubstr("21.9619\n"),
                                 HasSubstr("† a signal of variance 1")));
  EXPECT_THAT(priorfit({"phase", "--activation", "tanh"}).out, testing::Not(HasSubstr("†")));
}

TEST(Phase, WritesItsPage) {
  const Scratch scratch;
  const Outcome outcome = priorfit({"phase", "--out", scratch.path("p"), "--report"});
  if (outcome.err.find("built without the report page") != std::string::npos) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_all(scratch.path("p/report.html")), HasSubstr("priorfit.phase/1"));
}

TEST(Phase, ExplainsWhatIsWrong) {
  EXPECT_THAT(priorfit({"phase", "--activation", "tnah"}).err, HasSubstr("did you mean 'tanh'"));
  EXPECT_EQ(priorfit({"phase", "--depth", "0"}).code, 2);
  EXPECT_EQ(priorfit({"phase", "--weight-variances", "1,x"}).code, 2);
}

}  // namespace
}  // namespace priorfit::cli

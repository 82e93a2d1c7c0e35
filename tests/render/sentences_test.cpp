// Each sentence is written once: the table prints what the JSON carries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "drawn_data.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

std::string text_of(const Recommendation& r, const std::string& kind) {
  std::string text;
  for (const Sentence& sentence : sentences(r)) {
    if (sentence.kind == kind) text += sentence.text + "\n";
  }
  return text;
}

TEST(Sentences, AreTheSameInTableAndJson) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {3.0, 0.1}, 0.01, 80, 4, 4, 7);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .weight_bounds = {0.01, 0.8}});
  const std::string table = to_table(r);
  const nlohmann::json json = nlohmann::json::parse(to_json(r));
  ASSERT_GE(json["sentences"].size(), 5u);
  for (const auto& sentence : json["sentences"]) {
    EXPECT_THAT(table, HasSubstr(sentence["text"].get<std::string>()));
  }
}

TEST(Sentences, NameArgumentsAsTheCallerDoes) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {3.0, 0.1}, 0.01, 60, 4, 4, 7);
  Recommendation r =
      recommend(data, network, {.criterion = "evidence", .weight_bounds = {0.01, 0.8}, .risk_samples = 0});
  EXPECT_THAT(text_of(r, "bound"), HasSubstr("Widen weight_bounds to see beyond."));
  r.argument_names = {{"weight_bounds", "--weight-bounds"}};
  EXPECT_THAT(text_of(r, "bound"), HasSubstr("Widen --weight-bounds to see beyond."));
}

TEST(Sentences, SayWhenASearchDidNotConverge) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.5, 0.1}, 0.01, 40, 4, 4, 7);
  Recommendation r = recommend(data, network, {.criterion = "evidence", .risk_samples = 0});
  EXPECT_EQ(text_of(r, "convergence"), "");
  std::get<ContinuousTrace>(r.found).converged = false;
  EXPECT_THAT(text_of(r, "convergence"), HasSubstr("before it converged"));
  EXPECT_THAT(to_table(r), HasSubstr("before it converged"));
}

TEST(Sentences, SayThatTheCriteriaDisagree) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.5, 0.1}, 0.01, 40, 4, 4, 7);
  Recommendation r = recommend(data, network, {.criterion = "evidence"});
  TrainedRisk bad = r.best().risk(), good = bad;
  bad.error = 2.0;
  good.error = 1.0;
  r.chosen.set("trained-risk", bad);
  r.baselines[0].set("trained-risk", good);
  EXPECT_THAT(text_of(r, "disagreement"), HasSubstr("The two criteria disagree"));
  EXPECT_THAT(text_of(r, "disagreement"), HasSubstr("from the recommended start squared error 2.0000"));
}

}  // namespace
}  // namespace priorfit

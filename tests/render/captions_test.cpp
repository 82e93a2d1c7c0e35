// What the page's charts show and say, from the figures of the result.
#include "render/captions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace priorfit {
namespace {

using testing::HasSubstr;

PreparedData digits(Index rows) { return prepare(load_dataset({.source = "digits"}), {.samples = rows}); }

nlohmann::json theory_alone() {
  RecommendOptions options;
  options.criterion = "auto";
  options.pilots.budget_seconds = 0;
  options.search = AutomaticSearch{.surface = true};
  return nlohmann::json::parse(to_json(recommend(digits(80), NetworkSpec::uniform(1, 64), options)));
}

std::string caption(const nlohmann::json& json, const std::string& kind) {
  for (const auto& entry : json.at("captions")) {
    if (entry.at("kind") == kind) return entry.at("text");
  }
  return {};
}

TEST(Captions, StartsCarryTheFiguresBehindTheirWords) {
  const nlohmann::json json = theory_alone();
  for (const auto& line : json.at("starts")) {
    const auto& risk =
        json.at("candidates").at(line.at("candidate").get<std::size_t>()).at("scores").at("trained_risk");
    const double share = risk.at("accuracy");
    EXPECT_EQ(line.at("prediction").at("value"), share);
    EXPECT_NEAR(line.at("prediction").at("standard_error"), std::sqrt(share * (1 - share) / 80), 1e-15);
    EXPECT_FALSE(line.contains("measurement"));
  }
  EXPECT_THAT(caption(json, "starts"), HasSubstr("the line marks PyTorch's default"));
}

TEST(Captions, NameTheLeastAndTheMost) {
  const nlohmann::json json = theory_alone();
  std::pair<double, std::string> least = {1, ""}, most = {0, ""};
  for (const auto& start : json.at("candidates")) {
    const std::pair<double, std::string> entry = {
        1 - start.at("scores").at("trained_risk").at("accuracy").get<double>(), start.at("name")};
    if (entry.first < least.first) least = entry;
    if (entry.first > most.first) most = entry;
  }
  const std::string text = caption(json, "predicted");
  EXPECT_THAT(text, HasSubstr(fmt::format("least, {:.2f} %, from {}", 100 * least.first, least.second)));
  EXPECT_THAT(text, HasSubstr(fmt::format("most, {:.2f} %, from ", 100 * most.first)));
  EXPECT_THAT(text, HasSubstr(fmt::format("{} of {} starts", json.at("as_good").size(), json.at("candidates").size())));
}

TEST(Captions, TheEvidenceKeepsItsIntervalsToItself) {
  const nlohmann::json json = theory_alone();
  EXPECT_FALSE(json.at("recommended").contains("intervals"));
  EXPECT_TRUE(json.at("by_evidence").at("intervals").contains("weight_variance"));
  EXPECT_EQ(json.at("by_evidence").at("sentences").at(0).at("kind"), "answer");
  EXPECT_THAT(caption(json, "evidence"), HasSubstr("is highest at ("));
}

TEST(Captions, StartsOfAGridWithinTheToleranceAreAsGood) {
  RecommendOptions options;
  options.criterion = "trained-risk";
  options.family = FamilyKind::output;
  options.search =
      GridSearch{.weight_variances = {0.5, 1, 2}, .bias_variances = {0, 0.1}, .output_weight_variances = {0.01, 1}};
  const nlohmann::json json =
      nlohmann::json::parse(to_json(recommend(digits(80), NetworkSpec::uniform(1, 64), options)));
  std::vector<double> wrong;
  for (const auto& start : json.at("candidates")) {
    wrong.push_back(1 - start.at("scores").at("trained_risk").at("accuracy").get<double>());
  }
  const double least = *std::min_element(wrong.begin(), wrong.end());
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (wrong[i] <= 1.03 * least) expected.push_back(i);
  }
  EXPECT_EQ(json.at("as_good").get<std::vector<std::size_t>>(), expected);
  EXPECT_GE(expected.size(), 1u);
  EXPECT_LT(expected.size(), wrong.size());
}

}  // namespace
}  // namespace priorfit

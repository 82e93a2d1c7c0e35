// Scores that are either there or not, and a criterion of one's own all the way through.
#include "priorfit/criterion.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "drawn_data.hpp"
#include "helpers.hpp"
#include "own_criterion.hpp"
#include "priorfit/report.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

TEST(Score, IsAFigureOrAReason) {
  EXPECT_EQ(Score::of(2.5).value(), 2.5);
  EXPECT_THROW(Score::of(std::nan("")), Error);
  const Score failed = Score::failed("too large");
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.failure(), "too large");
  EXPECT_THROW(failed.value(), Error);
  Evidence evidence;
  evidence.status = EvidenceStatus::not_positive_definite;
  evidence.failed_pivot = 17;
  EXPECT_THAT(Score(evidence).failure(), HasSubstr("pivot 17"));
}

TEST(Candidate, AScoreThatWasNotComputedIsAbsent) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  Candidate candidate{.start = Initialisation::tied(network, {2.0, 0.0})};
  EXPECT_EQ(candidate.find("evidence"), nullptr);
  EXPECT_EQ(test::usage_error([&] { candidate.evidence(); }), "(2, 0) was not judged by evidence");
  candidate.set("closeness", Score::of(1.0));
  candidate.set("closeness", Score::of(3.0));
  EXPECT_EQ(candidate.scores.size(), 1u);
  EXPECT_EQ(candidate.find("closeness")->value(), 3.0);
}

TEST(Criteria, AreFoundByName) {
  EXPECT_EQ(find_criterion("evidence").unit, "nats");
  EXPECT_THAT(test::usage_error([] { find_criterion("evidnce"); }),
              HasSubstr("criterion 'evidnce' is unknown; did you mean 'evidence'?"));
}

// docs/hacking.md shows this one.
TEST(Criteria, OneOfYourOwnGoesThroughRecommendTablesJsonAndPage) {
  register_output_size();
  const NetworkSpec network = NetworkSpec::uniform(2, 100);
  const PreparedData data = drawn::data(drawn::normal(60, 4, 1), 3.0 * drawn::normal(60, 2, 2));
  const Recommendation answer = recommend(data, network, {.criterion = "output-size"});
  // With ReLU and no bias the outputs' mean square is σ_w²³ ‖x‖²/(4 d): it should be that of the targets.
  const double found = answer.best().find("output-size")->value();
  EXPECT_LT(found, 0.01);
  EXPECT_FALSE(answer.best().has_evidence());
  ASSERT_TRUE(answer.grid());
  for (const Candidate& cell : answer.grid()->cells) EXPECT_LE(found, cell.find("output-size")->value());
  EXPECT_THAT(to_table(answer), HasSubstr("output-size"));
  const nlohmann::json json = nlohmann::json::parse(to_json(answer));
  EXPECT_EQ(json["criterion"], "output-size");
  EXPECT_EQ(json["candidates"][0]["scores"]["output_size"]["value"], found);
  EXPECT_FALSE(json["recommended"].contains("log_marginal_likelihood"));
  EXPECT_FALSE(json.contains("trained_risk"));
  try {
    require_report();
  } catch (const Error&) {
    return;  // built without the page
  }
  const test::Scratch folder;
  folder.file("recommendation.json", to_json(answer));
  EXPECT_THAT(report_page(folder.path("")), HasSubstr(R"("output_size":{"value":)"));  // shown by tests/browser
}

TEST(Criteria, OneOfYourOwnMayStandBesideTheEvidence) {
  register_output_size();
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::data(drawn::normal(30, 4, 1), drawn::normal(30, 2, 2));
  const Recommendation answer = recommend(data, network, {.also = std::vector<std::string>{"output-size"}});
  EXPECT_TRUE(answer.best().has_evidence());
  EXPECT_FALSE(answer.best().has_risk());
  for (const Candidate& baseline : answer.baselines) EXPECT_TRUE(baseline.find("output-size")->ok());
}

}  // namespace
}  // namespace priorfit

#include "criteria/risk_preference.hpp"

#include "helpers.hpp"

namespace priorfit::internal {
namespace {

const NetworkSpec network = NetworkSpec::uniform(2);

TrainedRisk risk_of(double error) {
  TrainedRisk risk;
  risk.error = error;
  risk.standard_error = 0.2;
  return risk;
}

Candidate judged(const Initialisation& start, const TrainedRisk& risk) {
  Candidate candidate{.start = start};
  candidate.set("trained-risk", risk);
  return candidate;
}

Candidate pair(double weight_variance, double error) {
  return judged(Initialisation::tied(network, {weight_variance, 0.0}), risk_of(error));
}

TEST(PreferByRisk, TakesTheNearestToHeAmongThoseAsGood) {
  std::vector<Candidate> candidates = {pair(0.1, 1.0), pair(0.5, 1.005), pair(1.0, 1.008), pair(2.0, 1.012)};
  EXPECT_EQ(prefer_by_risk(candidates), 2u);
  candidates[3] = pair(2.0, 1.009);
  EXPECT_EQ(prefer_by_risk(candidates), 3u);
  TrainedRisk failed = risk_of(1.0);
  failed.failure = "none";
  candidates[3].set("trained-risk", failed);
  EXPECT_EQ(prefer_by_risk(candidates), 2u);
}

TEST(PreferByRisk, AnOutputOfItsOwnIsAsNear) {
  const std::vector<Candidate> candidates = {
      judged(Initialisation::with_output(network, {2.0, 0.0}, 1.0), risk_of(1.005)),
      judged(Initialisation::with_output(network, {2.0, 0.0}, 0.1), risk_of(1.0))};
  EXPECT_EQ(prefer_by_risk(candidates), 1u);  // the smaller error decides
}

TEST(PreferByRisk, InClassificationTheShareOfWrongClassesDecides) {
  TrainedRisk good = risk_of(1.005), better = risk_of(1.0);
  good.accuracy = 0.9;
  better.accuracy = 0.89;
  const std::vector<Candidate> candidates = {judged(Initialisation::with_output(network, {2.0, 0.0}, 1.0), good),
                                             judged(Initialisation::with_output(network, {2.0, 0.0}, 0.1), better)};
  EXPECT_EQ(prefer_by_risk(candidates), 0u);
}

TEST(PreferByRisk, SaysWhyThereIsNothingToPrefer) {
  TrainedRisk failed;
  failed.failure = "too large";
  const std::vector<Candidate> candidates = {judged(Initialisation::tied(network, {2.0, 0.0}), failed)};
  test::expect_error(
      ErrorKind::numerical, [&] { prefer_by_risk(candidates); }, "too large");
}

}  // namespace
}  // namespace priorfit::internal

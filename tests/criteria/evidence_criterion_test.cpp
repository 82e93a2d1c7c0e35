// The best noise by reduction and by climbing.
#include <gtest/gtest.h>

#include "criteria/evidence_criterion.hpp"
#include "drawn_data.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
using namespace internal;
namespace {

TEST(EvidenceCriterion, ReductionAndDirectWayFindTheSameNoise) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 120, 3, 3, 4);
  internal::EvidenceCriterion criterion(data.train.inputs, data.train.targets, network, {});
  for (const LayerPrior pair :
       {LayerPrior{2.0, 0.0}, LayerPrior{1.0, 0.0}, LayerPrior{1.6, 0.3}, LayerPrior{0.8, 0.15}}) {
    const Initialisation start = Initialisation::tied(network, pair);
    const double reduced = *criterion.best_nuisance(start), direct = *criterion.best_nuisance_directly(start);
    EXPECT_NEAR(std::log(reduced), std::log(direct), 1e-6);
  }
  // (2, 0) and (1, 0) share one, (1.6, 0.3) and (0.8, 0.15) another.
  EXPECT_EQ(criterion.meter().cost(120).reductions, 2);
}

// The evidence at a noise a little to either side is lower, wherever the layers' variances come from.
TEST(EvidenceCriterion, JudgesAtTheBestNoiseOfEachStart) {
  const NetworkSpec network = NetworkSpec::uniform(2, 50, Activation::parse("tanh"));
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 80, 3, 3, 5);
  internal::EvidenceCriterion criterion(data.train.inputs, data.train.targets, network, {});
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  for (const Initialisation& start :
       {Initialisation::tied(network, {1.5, 0.1}), Initialisation::with_output(network, {1.5, 0.1}, 0.3),
        Initialisation::named(InitialScheme::pytorch, network, 3, 3)}) {
    const Score score = criterion.judge(start, {});
    ASSERT_TRUE(score.ok());
    for (const double factor : {0.99, 1.01}) {
      const double noise = score.evidence()->noise_variance * factor;
      EXPECT_GT(score.value(), engine.evaluate(start.layers, noise).log_marginal_likelihood) << to_string(start);
    }
  }
}

TEST(EvidenceCriterion, AGridGetsTheBestNoiseOfEachCell) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 80, 3, 3, 5);
  const Recommendation r = recommend(
      data, network,
      {.search = GridSearch{.weight_variances = {0.5, 1, 2}, .bias_variances = {0, 0.5}}, .noise = NoiseChoice::fit()});
  ASSERT_TRUE(r.grid());
  ASSERT_EQ(r.grid()->cells.size(), 6u);
  EXPECT_TRUE(r.noise_fitted);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  for (const Candidate& cell : r.grid()->cells) {
    const double noise = cell.evidence().noise_variance;
    for (const double factor : {0.99, 1.01}) {
      EXPECT_GT(cell.evidence().log_marginal_likelihood,
                engine.evaluate(cell.pair(), noise * factor).log_marginal_likelihood);
    }
  }
  // In the order of the lists, whatever order they were computed in.
  EXPECT_EQ(r.grid()->cells[0].pair(), (LayerPrior{0.5, 0.0}));
  EXPECT_EQ(r.grid()->cells[5].pair(), (LayerPrior{2.0, 0.5}));
}

// Without saying so, a grid of the evidence has the paper's noise.
TEST(EvidenceCriterion, AGridHasThePapersNoiseUnlessTold) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 30, 3, 3, 5);
  const Recommendation r = recommend(data, network, {.search = GridSearch{}, .risk_samples = 0});
  EXPECT_EQ(r.grid()->cells.size(), 15u);
  EXPECT_FALSE(r.noise_fitted);
  EXPECT_EQ(r.best().evidence().noise_variance, 1e-6);
}

}  // namespace
}  // namespace priorfit

// The best noise by reduction and by climbing, and the profile itself.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "linalg/band.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "recommend/drawn_data.hpp"
#include "recommend/noise_fit.hpp"

namespace priorfit {
namespace {

TEST(BandFactor, SolvesAndTracesLikeTheWholeMatrix) {
  for (const Index size : {1, 2, 20, 33, 34, 60, 150}) {
    const Matrix x = drawn::normal(size, size + 2, 1);
    const Eigen::MatrixXd s = x * x.transpose() / double(size);
    const BandReduction reduction(s);
    const BandFactor factor(reduction.band(), 1.7, 0.3);
    ASSERT_TRUE(factor.ok());
    const Eigen::MatrixXd whole = 1.7 * s + 0.3 * Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd inverse = whole.llt().solve(Eigen::MatrixXd::Identity(size, size));
    EXPECT_TRUE(oracle::close(factor.inverse_trace(), inverse.trace(), 1e-11)) << size;
    EXPECT_NEAR(factor.log_determinant(), 2 * Eigen::MatrixXd(whole.llt().matrixL()).diagonal().array().log().sum(),
                1e-9);
    Eigen::MatrixXd y = drawn::normal(size, 2, 2);
    const double expected = (y.transpose() * inverse * y).trace();
    reduction.rotate(y);
    Eigen::MatrixXd solved = y;
    factor.solve(solved);
    EXPECT_TRUE(oracle::close(y.cwiseProduct(solved).sum(), expected, 1e-10)) << size;
  }
}

RC_GTEST_PROP(Profile, EqualsTheEvidenceAndItsGradient, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 90);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto depth = *rc::gen::inRange<Index>(1, 4);
  const bool with_bias = depth == 1 && *rc::gen::arbitrary<bool>();
  const Matrix x = drawn::normal(rows, 3, seed), y = drawn::normal(rows, 2, seed + 1);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(depth));
  const EvidenceProfile profile = engine.profile({1.3, with_bias ? 0.4 : 0.0});
  RC_ASSERT(profile.scales());
  const double weight = *rc::gen::inRange(2, 40) / 10.0, noise = std::pow(10.0, -*rc::gen::inRange(0, 4));
  const LayerPrior prior = profile.prior_at(weight);
  const EvidenceGradient direct = engine.evaluate_with_gradient(prior, noise);
  const EvidenceProfile::Point point = profile.at(weight, noise);
  const double by_weight =
      direct.by_weight_variance * prior.weight_variance + direct.by_bias_variance * prior.bias_variance;
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-7 * (1 + std::abs(b)); };
  RC_ASSERT(near(point.log_marginal_likelihood, direct.evidence.log_marginal_likelihood));
  RC_ASSERT(near(point.by_log_weight_variance, by_weight));
  RC_ASSERT(near(point.by_log_noise_variance, direct.by_noise_variance * noise));
}

TEST(Profile, WithBiasAndDepthOnlyTheNoiseMayChange) {
  const Matrix x = drawn::normal(50, 3, 1), y = drawn::normal(50, 2, 2);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(2));
  const EvidenceProfile profile = engine.profile({1.3, 0.4});
  EXPECT_FALSE(profile.scales());
  EXPECT_TRUE(oracle::close(profile.at(1.3, 0.2).log_marginal_likelihood,
                            engine.evaluate({1.3, 0.4}, 0.2).log_marginal_likelihood, 1e-10));
  EXPECT_THROW(profile.at(1.4, 0.2), Error);
}

TEST(NoiseFit, ReductionAndDirectWayAgree) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 120, 3, 3, 4);
  const RecommendOptions options;
  CostMeter meter(options);
  const SearchSpace space(options);
  EvidenceObjective objective(data.train.inputs, data.train.targets, network, space, options, meter);
  NoiseFit fit(objective, space);
  for (const LayerPrior prior :
       {LayerPrior{2.0, 0.0}, LayerPrior{1.0, 0.0}, LayerPrior{1.6, 0.3}, LayerPrior{0.8, 0.15}}) {
    const double reduced = *fit.best_noise(prior), direct = *fit.best_noise_directly(prior);
    EXPECT_NEAR(std::log(reduced), std::log(direct), 1e-6);
  }
  EXPECT_EQ(meter.cost(120).reductions, 2);  // (2, 0) and (1, 0) share one, (1.6, 0.3) and (0.8, 0.15) another
}

TEST(NoiseFit, AGridGetsTheBestNoiseOfEachCell) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.3}, 0.03, 80, 3, 3, 5);
  const Recommendation r = recommend(data, network, {.weight_variances = {0.5, 1, 2}, .bias_variances = {0, 0.5}});
  ASSERT_EQ(r.grid.size(), 6u);
  EXPECT_TRUE(r.noise_fitted);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  for (const EvidenceCell& cell : r.grid) {
    const double noise = cell.evidence.noise_variance;
    for (const double factor : {0.99, 1.01}) {
      EXPECT_GT(cell.evidence.log_marginal_likelihood,
                engine.evaluate(cell.prior, noise * factor).log_marginal_likelihood);
    }
  }
  EXPECT_EQ(r.grid[0].prior,
            (LayerPrior{0.5, 0.0}));  // in the order of the lists, whatever order they were computed in
  EXPECT_EQ(r.grid[5].prior, (LayerPrior{2.0, 0.5}));
}

}  // namespace
}  // namespace priorfit

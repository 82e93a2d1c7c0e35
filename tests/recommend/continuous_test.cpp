// The continuous maximum: where it is, what is said about bounds, flatness and other maxima.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_data.hpp"
#include "hills.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

/// σ_w², σ_b² and the noise, in this order.
const std::vector<Estimate>& estimates(const Recommendation& r) { return r.continuous()->estimates; }

// M4: without bias and noise the best σ_w² is (tr(Yᵀ K̂⁻¹ Y)/(N C))^{1/(L+1)}.
TEST(Continuous, MeetsTheClosedFormWithoutBiasAndNoise) {
  const Matrix x = drawn::normal(60, 80, 1), y = drawn::normal(60, 2, 2);
  for (const Index depth : {1, 2, 3}) {
    const NetworkSpec network = NetworkSpec::uniform(depth);
    const Eigen::MatrixXd unit = covariance(network, {1.0, 0.0}, x);
    const double trace = (y.transpose() * unit.llt().solve(Eigen::MatrixXd(y))).trace();
    const double expected = std::pow(trace / double(y.size()), 1.0 / double(depth + 1));
    const Recommendation r = recommend(drawn::data(x, y), network,
                                       {.criterion = "evidence",
                                        .search = ContinuousSearch{.tolerance = 1e-12},
                                        .noise = NoiseChoice::fit({1e-10, 1.1e-10}),
                                        .bias_bounds = {0.0, 1e-12}});
    EXPECT_TRUE(oracle::close(r.best().pair().weight_variance, expected, 1e-6));
  }
}

// The same at a size where the search goes along the ray by a reduction.
TEST(Continuous, MeetsTheClosedFormAlongTheRay) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  PreparedData data = drawn::from_prior(network, {1.5, 0.0}, 0.0, 300, 30, 4, 3);
  // Nothing for a bias to explain: the part of the targets that a constant takes up, A⁻¹ Y against 1, is removed.
  const Eigen::MatrixXd unit = covariance(network, {1.0, 0.0}, data.train.inputs);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(unit.rows()), solved = unit.llt().solve(ones);
  data.train.targets -= ones * (solved.transpose() * data.train.targets) / solved.sum();
  const Recommendation r = recommend(data, network,
                                     {.criterion = "evidence",
                                      .search = ContinuousSearch{.tolerance = 1e-12},
                                      .noise = NoiseChoice::fit({1e-8, 1e-7})});
  EXPECT_EQ(r.best().pair().bias_variance, 0.0);
  EXPECT_EQ(r.cost.reductions, 1);
  const Eigen::MatrixXd y = data.train.targets;
  const double expected = std::sqrt((y.transpose() * unit.llt().solve(y)).trace() / double(y.size()));
  EXPECT_TRUE(oracle::close(r.best().pair().weight_variance, expected, 1e-4));  // the noise is small, not 0
  ASSERT_GE(r.at_bound.size(), 1u);
  EXPECT_EQ(r.at_bound[0].name, "bias_variance");
  EXPECT_TRUE(r.at_bound[0].natural);
  EXPECT_LE(*r.at_bound[0].slope, 0.0);
  EXPECT_TRUE(estimates(r)[0].interval);
  EXPECT_FALSE(estimates(r)[1].interval);
}

TEST(Continuous, FindsAnInteriorMaximumWhereTheGradientVanishes) {
  const NetworkSpec network = NetworkSpec::uniform(2);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.4}, 0.02, 320, 3, 6, 5);
  const Recommendation r =
      recommend(data, network, {.criterion = "evidence", .search = ContinuousSearch{.tolerance = 1e-10}});
  EXPECT_TRUE(r.at_bound.empty());
  const LayerPrior best = r.best().pair();
  EXPECT_LT(std::abs(estimates(r)[0].slope * best.weight_variance), 0.05);  // nats per e-fold
  EXPECT_LT(std::abs(estimates(r)[1].slope * best.bias_variance), 0.05);
  EXPECT_LT(std::abs(estimates(r)[2].slope * r.best().evidence().noise_variance), 0.05);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  const double noise = r.best().evidence().noise_variance;
  for (const double factor : {0.9, 1.1}) {
    EXPECT_GT(r.best().evidence().log_marginal_likelihood,
              engine.evaluate({best.weight_variance * factor, best.bias_variance}, noise).log_marginal_likelihood);
    EXPECT_GT(r.best().evidence().log_marginal_likelihood,
              engine.evaluate({best.weight_variance, best.bias_variance * factor}, noise).log_marginal_likelihood);
    EXPECT_GT(r.best().evidence().log_marginal_likelihood,
              engine.evaluate(best, noise * factor).log_marginal_likelihood);
  }
  for (const Candidate& baseline : r.baselines) EXPECT_GT(*r.gain_over(baseline), 0.0) << to_string(baseline.start);
}

// A noisy wave at 16 points: either all of it is noise (no weights at all) or there is a function and less noise.
TEST(Continuous, FindsBothMaximaWhenThereAreTwo) {
  const Matrix noise = drawn::normal(16, 1, 53);
  Matrix x(16, 1), y(16, 1);
  for (Index i = 0; i < 16; ++i) {
    x(i, 0) = -2 + 4 * double(i) / 15;
    y(i, 0) = 0.8 * std::sin(2.5 * x(i, 0)) + 0.3 * noise(i, 0);
  }
  const NetworkSpec network = NetworkSpec::uniform(1);
  const Recommendation r = recommend(drawn::data(x, y), network, {.criterion = "evidence"});
  const std::vector<LocalOptimum>& optima = r.continuous()->optima;
  ASSERT_EQ(optima.size(), 2u);
  EXPECT_EQ(optima[0].candidate.pair().weight_variance, 0.01);
  EXPECT_GT(optima[1].candidate.pair().weight_variance, 2.0);
  EXPECT_LT(optima[1].candidate.evidence().noise_variance, 0.5 * optima[0].candidate.evidence().noise_variance);
  EXPECT_EQ(r.best().pair(), optima[0].candidate.pair());
  EvidenceEngine engine(x, y, network);
  for (const LocalOptimum& optimum : optima) {
    const LayerPrior prior = optimum.candidate.pair();
    const Evidence& evidence = optimum.candidate.evidence();
    const double at = evidence.log_marginal_likelihood;
    for (const double up : {1.05, 1 / 1.05}) {
      const LayerPrior moved{std::max(prior.weight_variance * up, 0.01), prior.bias_variance};
      EXPECT_GE(at, engine.evaluate(moved, evidence.noise_variance).log_marginal_likelihood);
      EXPECT_GE(at, engine.evaluate(prior, evidence.noise_variance * up).log_marginal_likelihood);
    }
  }
  EXPECT_THAT(to_table(r), HasSubstr("Another local maximum: ("));
}

struct DeepCase {
  const char* activation;
  Index depth;
  LayerPrior prior;
};

class DeepSearch : public testing::TestWithParam<DeepCase> {};

// The evidence of a deep network is a narrow ridge. Whatever drew the data, the maximum is no lower than there, and no
// lower than at He's and LeCun's pairs.
TEST_P(DeepSearch, IsNoLowerThanWhereTheDataCameFromNorThanTheBaselines) {
  const DeepCase& deep = GetParam();
  const NetworkSpec network = NetworkSpec::uniform(deep.depth, 100, Activation::parse(deep.activation));
  const PreparedData data = drawn::from_prior(network, deep.prior, 1e-3, 60, 5, 3, 4);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .risk_samples = 0});
  const double best = r.best().evidence().log_marginal_likelihood;
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  EXPECT_GE(best, engine.evaluate(deep.prior, 1e-3).log_marginal_likelihood - 0.01);
  for (const Candidate& baseline : r.baselines) {
    if (!baseline.start.pair()) continue;  // He's and LeCun's have one
    EXPECT_GE(*r.gain_over(baseline), -0.01) << to_string(baseline.start);
  }
}

INSTANTIATE_TEST_SUITE_P(Ridges, DeepSearch,
                         testing::Values(DeepCase{"relu", 20, {2.0, 0.1}}, DeepCase{"relu", 100, {2.0, 0.0}},
                                         DeepCase{"identity", 20, {1.0, 0.0}}, DeepCase{"identity", 100, {1.0, 0.1}},
                                         DeepCase{"gelu", 50, {1.97, 0.9}}, DeepCase{"gelu", 100, {1.97, 0.5}},
                                         DeepCase{"erf", 100, {0.96, 0.01}},
                                         DeepCase{"leaky_relu:0.2", 100, {1.92, 0.0}}, DeepCase{"abs", 60, {1.0, 0.0}},
                                         DeepCase{"tanh", 30, {1.4, 0.01}}),
                         [](const auto& info) {
                           std::string name = info.param.activation;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name + std::to_string(info.param.depth);
                         });

// With a bias the ridge of abs goes on above the line where a signal neither grows nor fades: 12.7 nats lay there.
TEST(Continuous, NoGridIsBetterAtDepth1000) {
  const NetworkSpec network = NetworkSpec::uniform(1000, 100, Activation::parse("abs"));
  const Matrix x = drawn::normal(60, 3, 7);
  const Matrix y = x.col(0) + x.col(1).cwiseProduct(x.col(2)) + 0.1 * drawn::normal(60, 1, 8);
  const Recommendation r = recommend(drawn::data(x, y), network, {.criterion = "evidence", .risk_samples = 0});
  EvidenceEngine engine(x, y, network);
  for (const double w : {0.99, 0.998, 1.0, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006, 1.01}) {
    for (const double b : {0.0, 0.01, 0.3, 2.0, 4.0}) {
      for (const double noise : {1e-8, 1e-4, 0.1, 1.0}) {
        const Evidence cell = engine.evaluate({w, b}, noise);
        if (!cell.ok()) continue;
        EXPECT_LE(cell.log_marginal_likelihood, r.best().evidence().log_marginal_likelihood + 0.01)
            << w << " " << b << " " << noise;
      }
    }
  }
}

// He's pair is beyond any noise here: its variance of 2^100 leaves nothing to fit, and no figure is NaN in the text.
TEST(Continuous, ABaselineThatExplodesIsShownWithItsReason) {
  const NetworkSpec network = NetworkSpec::uniform(600, 100, Activation::parse("abs"));
  const PreparedData data = drawn::from_prior(network, {1.0, 0.0}, 1e-3, 30, 5, 2, 4);
  const std::string text = to_table(recommend(data, network, {.criterion = "evidence", .risk_samples = 0}));
  EXPECT_THAT(text, HasSubstr("the variance explodes at layer"));
  EXPECT_THAT(text, testing::Not(HasSubstr("noise nan")));
}

// Nothing there explains the data, but the bound and its slope say where to go.
TEST(Continuous, BoundsWithinWhichVariancesExplodeHaveABestPointToo) {
  const NetworkSpec network = NetworkSpec::uniform(20);
  const PreparedData data = drawn::from_prior(network, {2.0, 0.1}, 1e-3, 40, 5, 2, 4);
  const Recommendation r =
      recommend(data, network, {.criterion = "evidence", .weight_bounds = {8.0, 10.0}, .risk_samples = 0});
  EXPECT_EQ(r.best().pair().weight_variance, 8.0);
  ASSERT_FALSE(r.at_bound.empty());
  EXPECT_EQ(r.at_bound[0].name, "weight_variance");
  EXPECT_LT(*r.at_bound[0].slope, 0.0);
}

TEST(Continuous, FixedNoiseStaysFixed) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.4}, 0.02, 60, 3, 2, 6);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .noise = NoiseChoice::at(0.3)});
  EXPECT_EQ(r.best().evidence().noise_variance, 0.3);
  EXPECT_FALSE(r.noise_fitted);
  EXPECT_FALSE(estimates(r)[2].interval);
  for (const Candidate& baseline : r.baselines) EXPECT_EQ(baseline.evidence().noise_variance, 0.3);
}

TEST(Continuous, ABoundThatHoldsTheAnswerBackIsSaidWithItsSlope) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {3.0, 0.1}, 0.01, 120, 4, 4, 7);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .weight_bounds = {0.01, 0.8}});
  EXPECT_EQ(r.best().pair().weight_variance, 0.8);
  ASSERT_FALSE(r.at_bound.empty());
  EXPECT_EQ(r.at_bound[0].name, "weight_variance");
  EXPECT_TRUE(r.at_bound[0].upper);
  EXPECT_GT(*r.at_bound[0].slope, 0.0);
  EXPECT_FALSE(estimates(r)[0].interval);
  EXPECT_THAT(to_table(r), HasSubstr("σ_w² = 0.8 lies on its upper bound; the evidence rises by"));
  EXPECT_THAT(to_json(r), HasSubstr("\"weight_variance:upper\""));
}

// No parameter is left whose curvature could be taken.
TEST(Continuous, EveryParameterMayBeFixedOrAtABound) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {3.0, 1.0}, 0.01, 40, 4, 4, 7);
  const Recommendation r = recommend(data, network,
                                     {.criterion = "evidence",
                                      .noise = NoiseChoice::at(0.01),
                                      .weight_bounds = {0.01, 0.1},
                                      .bias_bounds = {0.0, 0.01}});
  EXPECT_EQ(r.at_bound.size(), 2u);
  for (const Estimate& estimate : estimates(r)) EXPECT_FALSE(estimate.interval);
}

// With all inputs 0 the covariance is the constant σ_b²(1 + σ_w²/2): one combination is known, the other is not.
TEST(Continuous, AFlatDirectionIsReported) {
  const Matrix y = Matrix::Constant(40, 3, 0.9) + 0.1 * drawn::normal(40, 3, 8);
  const Recommendation r =
      recommend(drawn::data(Matrix::Zero(40, 2), y), NetworkSpec::uniform(1), {.criterion = "evidence"});
  int flat = 0;
  for (const Estimate& estimate : estimates(r)) {
    flat += estimate.flat;
    EXPECT_FALSE(estimate.flat && estimate.interval);
  }
  EXPECT_GT(flat, 0);
  EXPECT_THAT(to_table(r), HasSubstr("The evidence hardly depends on"));
  EXPECT_THAT(to_json(r), HasSubstr("\"flat\": [\n"));
}

TEST(Continuous, GlorotIsTheTiedPriorOfTheSameCovariance) {
  const NetworkSpec network{{50, 20}, {}};
  const PreparedData data = drawn::from_prior(network, {1.6, 0.0}, 0.02, 50, 8, 2, 9);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .noise = NoiseChoice::at(0.1)});
  const Candidate& glorot = r.baselines.at(2);
  EXPECT_EQ(glorot.start.scheme, InitialScheme::keras);
  const double layers[] = {2.0 * 8 / 58, 2.0 * 50 / 70, 2.0 * 20 / 22};
  ASSERT_EQ(glorot.start.layers.size(), 3u);
  for (std::size_t l = 0; l < 3; ++l) EXPECT_NEAR(glorot.start.layers[l].weight_variance, layers[l], 1e-12);
  const auto pair = equivalent_pair(glorot.start, network);
  ASSERT_TRUE(pair);
  EXPECT_NEAR(std::pow(pair->weight_variance, 3.0), layers[0] * layers[1] * layers[2], 1e-12);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  EXPECT_TRUE(oracle::close(engine.evaluate(*pair, 0.1).log_marginal_likelihood,
                            glorot.evidence().log_marginal_likelihood, 1e-10));
}

TEST(Continuous, SurfaceSurroundsTheMaximum) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.4}, 0.02, 40, 3, 2, 10);
  const Recommendation r =
      recommend(data, network, {.criterion = "evidence", .search = ContinuousSearch{.surface = true}});
  ASSERT_TRUE(r.continuous()->surface);
  const EvidenceSurface& surface = *r.continuous()->surface;
  EXPECT_EQ(surface.log_marginal_likelihood.rows(), 40);
  EXPECT_EQ(surface.log_marginal_likelihood.cols(), 40);
  EXPECT_EQ(surface.samples, 40);
  const double highest = surface.log_marginal_likelihood.maxCoeff();
  EXPECT_LE(highest, r.best().evidence().log_marginal_likelihood + 1e-9);
  EXPECT_GT(highest, r.best().evidence().log_marginal_likelihood - 1.0);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  const double one = engine.evaluate({surface.weight_variances[3], surface.bias_variances[30]}, surface.noise_variance)
                         .log_marginal_likelihood;
  EXPECT_EQ(surface.log_marginal_likelihood(3, 30), one);
}

TEST(Continuous, RefusesImpossibleOptions) {
  const PreparedData data = drawn::data(drawn::normal(10, 2, 1), drawn::normal(10, 1, 2));
  const NetworkSpec network = NetworkSpec::uniform(1);
  EXPECT_THROW(recommend(data, network, {.criterion = "evidence", .weight_bounds = {0.0, 1.0}}), Error);
  EXPECT_THROW(recommend(data, network, {.criterion = "evidence", .bias_bounds = {1.0, 0.5}}), Error);
  EXPECT_THROW(recommend(data, network, {.criterion = "evidence", .noise = NoiseChoice::fit({0.0, 0.5})}), Error);
  EXPECT_THROW(recommend(data, network, {.criterion = "evidence", .search = ContinuousSearch{.tolerance = 0.0}}),
               Error);
}

TEST(Continuous, CancelsWhenAsked) {
  const PreparedData data = drawn::data(drawn::normal(10, 2, 1), drawn::normal(10, 1, 2));
  int calls = 0;
  try {
    recommend(data, NetworkSpec::uniform(1), {}, {.progress = [&](const Progress&) { return ++calls < 70; }});
    FAIL() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
  EXPECT_EQ(calls, 70);
}

/// Its narrow hill is at He's pair.
struct HillsAtHe : Criterion {
  explicit HillsAtHe(Index samples) : hills(samples, -1.0, std::log(2.0)) {}
  std::string_view name() const override { return hills.name(); }
  Score judge(const Initialisation& start, const RunContext&) override { return hills.score_at(start, 0.1); }
  internal::SmoothCriterion* smooth() override { return &hills; }

  internal::Hills hills;
};

TEST(Continuous, LeavesAMaximumBelowABaseline) {
  register_criterion({.name = "hills", .has_gradient = true, .make = [](const CriterionInputs& inputs) {
                        return std::make_unique<HillsAtHe>(inputs.inputs.rows());
                      }});
  const PreparedData data =
      drawn::data(drawn::normal(internal::Hills::whole, 3, 1), drawn::normal(internal::Hills::whole, 1, 2));
  const Recommendation r =
      recommend(data, NetworkSpec::uniform(1), {.criterion = "hills", .search = ContinuousSearch{}});
  EXPECT_NEAR(r.best().pair().weight_variance, 2.0, 1e-3);
  EXPECT_NEAR(estimates(r)[0].value, 2.0, 1e-3);
  ASSERT_EQ(r.continuous()->optima.size(), 2u);
  EXPECT_NEAR(r.continuous()->optima[1].candidate.pair().weight_variance, std::exp(-1.0), 0.02);
}

}  // namespace
}  // namespace priorfit

// The network covariance (M1) against 50-digit values, sampled finite networks and laws.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "helpers.hpp"
#include "kernel/layers.hpp"
#include "linalg/threads.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::usage_error;

Matrix random_inputs(Index rows, Index columns, std::uint64_t seed) {
  Matrix out(rows, columns);
  RandomStream(seed, RandomUse::simulation).fill_normal(std::span<double>(out.data(), out.size()));
  return out;
}

TEST(Covariance, MatchesTheOracleAtEveryDepth) {
  int checked = 0;
  for (const auto& problem : oracle::values().at("problems")) {
    const NetworkSpec network = NetworkSpec::uniform(problem.at("depth").get<Index>(), 1, oracle::activation(problem));
    const LayerPrior prior{oracle::number(problem.at("weight_variance")), oracle::number(problem.at("bias_variance"))};
    const Matrix computed = covariance(network, prior, oracle::matrix(problem.at("X")));
    const Matrix expected = oracle::matrix(problem.at("K"));
    for (Index i = 0; i < expected.rows(); ++i) {
      for (Index j = 0; j < expected.cols(); ++j) {
        EXPECT_TRUE(oracle::close(computed(i, j), expected(i, j), 1e-13))
            << network.activation.name() << ", depth " << network.depth();
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 8);
}

/// Sample covariance of the output of `networks` finite random networks (one output each), inputs.rows() square.
Matrix sampled_covariance(const NetworkSpec& network, const LayerPrior& prior, const Matrix& inputs, int networks) {
  Matrix sum = Matrix::Zero(inputs.rows(), inputs.rows());
  for (int n = 0; n < networks; ++n) {
    Matrix signal = inputs;  // samples × fan_in
    for (Index layer = 0; layer <= network.depth(); ++layer) {
      const Index fan_in = signal.cols();
      const Index fan_out = layer < network.depth() ? network.hidden_widths[layer] : 1;
      Matrix weights = random_inputs(fan_in, fan_out, 1000003ull * n + 2 * layer);
      weights *= std::sqrt(prior.weight_variance / fan_in);
      const Matrix biases = random_inputs(1, fan_out, 1000003ull * n + 2 * layer + 1) * std::sqrt(prior.bias_variance);
      signal = (signal * weights).rowwise() + biases.row(0);
      if (layer < network.depth()) signal = signal.unaryExpr([&](double x) { return network.activation(x); });
    }
    sum += signal * signal.transpose();
  }
  return sum / networks;
}

void expect_sampled_covariance(const NetworkSpec& network, int networks) {
  const LayerPrior prior{1.7, 0.3};
  const Matrix inputs = random_inputs(5, 8, 42);
  const Matrix sampled = sampled_covariance(network, prior, inputs, networks);
  const Matrix exact = covariance(network, prior, inputs);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      const double deviation = std::sqrt((exact(i, i) * exact(j, j) + exact(i, j) * exact(i, j)) / networks);
      // Finite width makes the tails a little heavier than a Gaussian's, hence 5.5 deviations over 25 entries.
      EXPECT_NEAR(sampled(i, j), exact(i, j), 5.5 * deviation) << i << ", " << j;
    }
  }
}

class SampledNetworks : public testing::TestWithParam<Index> {};

// This is what pins the 1/d of the input layer that the paper's formula loses.
TEST_P(SampledNetworks, HaveTheCovarianceOfTheKernel) {
  expect_sampled_covariance(NetworkSpec::uniform(GetParam(), 100), 6000);
}

INSTANTIATE_TEST_SUITE_P(Depths, SampledNetworks, testing::Values(1, 2, 3));

class SampledActivations : public testing::TestWithParam<std::string> {};

TEST_P(SampledActivations, HaveTheCovarianceOfTheKernel) {
  for (const Index depth : {1, 2, 3}) {
    expect_sampled_covariance(NetworkSpec::uniform(depth, 60, Activation::parse(GetParam())), 1500);
  }
}

// Exploding and vanishing are found in the variances, everything else must be a covariance: finite and within
// Cauchy–Schwarz.
TEST_P(SampledActivations, OneHundredLayersGiveACovariance) {
  const NetworkSpec network = NetworkSpec::uniform(100, 1, Activation::parse(GetParam()));
  const Matrix inputs = random_inputs(6, 8, 3);
  for (const LayerPrior& prior : {LayerPrior{1.0, 0.0}, LayerPrior{1.8, 0.05}, LayerPrior{0.5, 0.3}}) {
    const Matrix k = covariance(network, prior, inputs);
    EXPECT_TRUE(k.allFinite()) << prior.weight_variance;
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        EXPECT_LE(std::abs(k(i, j)), std::sqrt(k(i, i) * k(j, j)) * (1 + 1e-6)) << prior.weight_variance;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Known, SampledActivations, testing::ValuesIn(Activation::names()),
                         [](const auto& info) { return info.param; });

// Variances up to 1e120: the ratio to ReLU's covariance is lost in rounding, except in what the first layers did.
TEST(Covariance, GeluMayGrowForAHundredLayers) {
  const Matrix inputs = random_inputs(5, 8, 3);
  const Matrix gelu = covariance(NetworkSpec::uniform(100, 1, Activation::parse("gelu")), {16.0, 0.0}, inputs);
  const Matrix relu = covariance(NetworkSpec::uniform(100), {16.0, 0.0}, inputs);
  EXPECT_GT(gelu.maxCoeff(), 1e80);
  EXPECT_TRUE(gelu.allFinite());
  EXPECT_LT((gelu.cwiseQuotient(relu).array() - 1).abs().maxCoeff(), 0.5);
}

TEST(Covariance, SaysWhereAVarianceExplodesOrVanishes) {
  const Matrix inputs = random_inputs(3, 4, 1);
  const auto message = [&](const char* activation, const LayerPrior& prior) -> std::string {
    try {
      covariance(NetworkSpec::uniform(100, 1, Activation::parse(activation)), prior, inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::numerical);
      return error.what();
    }
    return "no error";
  };
  // 1e4 · ½ per layer: from about 1e4 to 2^500 = 3e150 in 40 layers.
  EXPECT_THAT(message("relu", {1e4, 0.0}),
              testing::MatchesRegex("the variance explodes at layer 4[0-2]: .*e\\+15[0-9] is too large .*"));
  EXPECT_THAT(message("relu", {1e-4, 0.0}),
              testing::MatchesRegex("the variance vanishes at layer 3[4-6]: .*e-15[0-9] is too small .*"));
  EXPECT_THAT(message("gelu", {1e5, 0.0}), testing::HasSubstr("the variance explodes"));
  EXPECT_THAT(message("tanh", {1e-4, 0.0}), testing::HasSubstr("the variance vanishes"));
  Matrix with_zero = inputs;
  with_zero.row(1).setZero();  // no signal is not a signal that vanished
  EXPECT_NO_THROW(covariance(NetworkSpec::uniform(100), {2.0, 0.0}, with_zero));
}

TEST(Covariance, CrossBlockAgreesWithTheSymmetricOne) {
  const NetworkSpec network = NetworkSpec::uniform(2);
  const LayerPrior prior{1.3, 0.2};
  const Matrix inputs = random_inputs(11, 6, 3);
  const Matrix full = covariance(network, prior, inputs);
  const Matrix cross = cross_covariance(network, prior, inputs.topRows(4), inputs.bottomRows(7));
  EXPECT_LT((cross - full.topRightCorner(4, 7)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((variance(network, prior, inputs) - full.diagonal()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Covariance, ZeroInputSeesOnlyTheBias) {
  Matrix inputs = random_inputs(3, 4, 5);
  inputs.row(1).setZero();
  const Matrix without = covariance(NetworkSpec::uniform(3), {2.0, 0.0}, inputs);
  EXPECT_EQ(without.row(1).cwiseAbs().maxCoeff(), 0.0);
  const Matrix with = covariance(NetworkSpec::uniform(1), {2.0, 0.5}, inputs);
  EXPECT_DOUBLE_EQ(with(1, 1), 0.5 + 2.0 * 0.5 / 2);
}

TEST(Covariance, ParallelInputsScale) {
  Matrix inputs = random_inputs(2, 4, 6);
  inputs.row(1) = 3.0 * inputs.row(0);
  const Matrix k = covariance(NetworkSpec::uniform(1), {2.0, 0.0}, inputs);
  EXPECT_TRUE(oracle::close(k(0, 1), 3.0 * k(0, 0), 1e-14));
  EXPECT_TRUE(oracle::close(k(1, 1), 9.0 * k(0, 0), 1e-14));
}

TEST(Covariance, HeKeepsTheVarianceAtAnyDepth) {
  const Matrix inputs = random_inputs(4, 9, 8);
  const Vector shallow = variance(NetworkSpec::uniform(1), {2.0, 0.0}, inputs);
  const Vector deep = variance(NetworkSpec::uniform(100), {2.0, 0.0}, inputs);
  EXPECT_LT((shallow - deep).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Covariance, ValuesDoNotDependOnPlaceOrThreads) {
  const Matrix inputs = random_inputs(67, 5, 9);
  const NetworkSpec network = NetworkSpec::uniform(2);
  Matrix one, two;
  {
    const ThreadScope scope(1);
    one = covariance(network, {1.5, 0.1}, inputs);
  }
  {
    const ThreadScope scope(2);
    two = covariance(network, {1.5, 0.1}, inputs);
  }
  EXPECT_EQ(one, two);
}

TEST(Covariance, RefusesWhatItCannotUse) {
  Matrix inputs = random_inputs(3, 2, 1);
  EXPECT_THROW(covariance(NetworkSpec::uniform(1), {-1.0, 0.0}, inputs), Error);
  EXPECT_THROW(covariance(NetworkSpec::uniform(1), {1.0, -0.5}, inputs), Error);
  EXPECT_THROW(NetworkSpec::uniform(0), Error);
  inputs(1, 1) = std::nan("");
  EXPECT_THROW(covariance(NetworkSpec::uniform(1), {1.0, 0.0}, inputs), Error);
}

RC_GTEST_PROP(Covariance, IsSymmetricAndPositiveDefinite, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 12);
  const auto columns = *rc::gen::inRange<Index>(1, 6);
  const NetworkSpec network = NetworkSpec::uniform(*rc::gen::inRange<Index>(1, 5));
  const LayerPrior prior{*rc::gen::inRange(1, 40) / 10.0, *rc::gen::inRange(0, 20) / 10.0};
  const Matrix k = covariance(network, prior, random_inputs(rows, columns, *rc::gen::arbitrary<std::uint64_t>()));
  RC_ASSERT(k == k.transpose());
  const double scale = k.diagonal().maxCoeff();
  const Eigen::LLT<Eigen::MatrixXd> factor(k + 1e-10 * scale * Matrix::Identity(rows, rows));
  RC_ASSERT(factor.info() == Eigen::Success);
}

TEST(Network, ItsDepthIsBounded) {
  EXPECT_EQ(NetworkSpec::uniform(10'000, 1).depth(), 10'000);
  EXPECT_EQ(usage_error([] { NetworkSpec::uniform(10'001, 1); }), "depth is 10001: it must be at most 10000");
  EXPECT_EQ(usage_error([] { NetworkSpec::uniform(Index{1} << 60, 1); }),  // refused before it is allocated
            "depth is 1152921504606846976: it must be at most 10000");
  EXPECT_EQ(usage_error([] {
              NetworkSpec{std::vector<Index>(10'001, 1), {}}.validate();
            }),
            "depth is 10001: it must be at most 10000");
}

TEST(Network, ManyEqualWidthsAreCounted) {
  EXPECT_EQ(NetworkSpec::uniform(3, 8).widths_text(), "8-8-8");
  EXPECT_EQ(NetworkSpec::uniform(100, 8).widths_text(), "100 × 8");
  EXPECT_EQ((NetworkSpec{{8, 8, 8, 9}, {}}.widths_text()), "8-8-8-9");
}

TEST(Activation, UnknownNameSuggestsTheNearest) {
  const auto message = [](const char* name) { return usage_error([&] { Activation::parse(name); }); };
  EXPECT_NE(message("rleu").find("did you mean 'relu'"), std::string::npos);
  EXPECT_NE(message("tnah").find("did you mean 'tanh'"), std::string::npos);
  EXPECT_EQ(message("foo").find("did you mean"), std::string::npos);
}

TEST(Activation, RefusesASlopeThatVariancesCannotTake) {
  const auto message = [](const char* name) { return usage_error([&] { Activation::parse(name); }); };
  for (const char* name : {"leaky_relu:x", "leaky_relu:", "leaky_relu:nan", "leaky_relu:0.2x"}) {
    EXPECT_NE(message(name).find("is not a number"), std::string::npos) << name;
  }
  EXPECT_EQ(message("leaky_relu:x"), "activation 'leaky_relu:x': the slope 'x' is not a number");
  for (const char* name : {"leaky_relu:1e200", "leaky_relu:-1e200", "leaky_relu:1e-200", "leaky_relu:inf",
                           "leaky_relu:1e400", "leaky_relu:1.4e154", "leaky_relu:1.4e-154"}) {
    EXPECT_NE(message(name).find("must be 0 or of a size from 1.5e-154 to 1.3e+154"), std::string::npos) << name;
  }
  EXPECT_NE(message("relu:0.2").find("only leaky_relu takes a number"), std::string::npos);
  for (const double slope : {0.0, 0.2, -1.3e154, 1.5e-154}) {
    EXPECT_EQ(Activation::parse(fmt::format("leaky_relu:{}", slope)).negative_slope(), slope);
  }
}

}  // namespace
}  // namespace priorfit

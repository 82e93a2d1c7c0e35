// The Gaussian process over starts (M10) against a plain computation of its own, and as a searcher.
#include "pilots/surrogate.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace priorfit::internal {
namespace {

const NetworkSpec network = NetworkSpec::uniform(2, 64);

std::vector<Initialisation> some_starts() {
  return {Initialisation::tied(network, {1.0, 0.0}), Initialisation::tied(network, {2.0, 0.1}),
          Initialisation::with_output(network, {1.5, 0.0}, 0.01), Initialisation::tied(network, {0.25, 1.0})};
}

TEST(Surrogate, PlacesStartsByGeometricMeans) {
  Initialisation start = Initialisation::tied(network, {1.0, 0.0});
  start.layers[0] = {4.0, 0.03};
  const Eigen::Vector3d place = place_of(start);
  EXPECT_DOUBLE_EQ(place[0], 0.5 * std::log(4.0));
  EXPECT_DOUBLE_EQ(place[1], 0.5 * (std::log(0.04) + std::log(0.01)));
  EXPECT_DOUBLE_EQ(place[2], 0.0);
}

TEST(Surrogate, IsTheConditionalNormal) {
  const auto starts = some_starts();
  const std::vector<double> predicted = {-1.0, -0.5, -2.0, 0.3};
  Surrogate surrogate(starts, predicted);
  surrogate.observe(1, -0.9, 0.01);
  surrogate.observe(3, 0.1, 0.02);
  surrogate.observe(1, -0.8, 0.03);

  const auto covariance = [&](std::size_t i, std::size_t j) {
    const Eigen::Vector3d d = place_of(starts[i]) - place_of(starts[j]);
    return 0.05 * std::exp(-0.5 * (d[0] * d[0] / 2.25 + d[1] * d[1] / 4 + d[2] * d[2] / 4)) + 25 + (i == j ? 1e-8 : 0);
  };
  const std::size_t seen[] = {1, 3, 1};
  const double values[] = {-0.9, 0.1, -0.8}, noise[] = {0.01, 0.02, 0.03};
  Eigen::Matrix3d among;
  Eigen::Vector3d residual;
  for (int i = 0; i < 3; ++i) {
    residual[i] = values[i] - predicted[seen[i]];
    for (int j = 0; j < 3; ++j) among(i, j) = covariance(seen[i], seen[j]) + (i == j ? noise[i] : 0.0);
  }
  const Surrogate::Belief belief = surrogate.belief();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Eigen::Vector3d between(covariance(k, 1), covariance(k, 3), covariance(k, 1));
    const Eigen::Vector3d weights = among.inverse() * between;
    EXPECT_NEAR(belief.mean[static_cast<Index>(k)], predicted[k] + weights.dot(residual), 1e-8) << k;
    EXPECT_NEAR(std::pow(belief.deviation[static_cast<Index>(k)], 2), covariance(k, k) - weights.dot(between), 1e-7)
        << k;
  }
  const Surrogate::Belief relative = surrogate.belief_relative_to(1);
  EXPECT_EQ(relative.mean[1], 0.0);
  EXPECT_EQ(relative.deviation[1], 0.0);
  EXPECT_NEAR(relative.mean[2], belief.mean[2] - belief.mean[1], 1e-12);
}

TEST(Surrogate, KnowsDepthAndAmplitude) {
  const auto starts = some_starts();
  Surrogate surrogate(starts, {}, {.amplitude = 0.2, .by_depth = true});
  surrogate.observe(0, -1.0, 0.01);
  const Eigen::Vector3d d = place_of(starts[1]) - place_of(starts[0]);
  const double alike = std::exp(-0.5 * (2 * d[0] * d[0] / 2.25 + d[1] * d[1] / 4 + d[2] * d[2] / 4));
  const double at = 0.2 + 25 + 1e-8, between = 0.2 * alike + 25;
  const Surrogate::Belief belief = surrogate.belief();
  EXPECT_NEAR(belief.mean[1], between / (at + 0.01) * -1.0, 1e-10);
  EXPECT_NEAR(std::pow(belief.deviation[1], 2), at - between * between / (at + 0.01), 1e-8);
}

TEST(Surrogate, TakesAnErrorForAtMostETimesTheLeast) {
  Surrogate diverged(some_starts(), {}), bad(some_starts(), {});
  diverged.observe(0, std::numeric_limits<double>::infinity(), 0.01);
  EXPECT_TRUE(diverged.belief().mean.allFinite());  // nothing else is known yet
  diverged.observe(1, -2.0, 0.01);
  bad.observe(0, -1.0, 0.01);
  bad.observe(1, -2.0, 0.01);
  EXPECT_TRUE(diverged.belief().mean.isApprox(bad.belief().mean));
}

TEST(Surrogate, FindsTheMinimumOfASmoothFunctionInAFewLooks) {
  std::vector<Initialisation> starts;
  for (const double weight : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    for (const double output : {0.001, 0.01, 0.1, 1.0}) {
      starts.push_back(Initialisation::with_output(network, {weight, 0.0}, output));
    }
  }
  const auto truth = [&](std::size_t i) {  // least at σ_w² = 1.5, output 0.01
    const Eigen::Vector3d place = place_of(starts[i]);
    return 0.1 * std::pow(place[0] - std::log(1.5), 2) + 0.05 * std::pow(place[2] - std::log(0.01), 2);
  };
  Surrogate surrogate(starts, {});  // without any theory
  for (int i = 0; i < 12; ++i) {
    const std::size_t next = surrogate.next();
    surrogate.observe(next, truth(next), 0.001);
  }
  Index best = 0;
  surrogate.belief().mean.minCoeff(&best);
  EXPECT_LT(truth(static_cast<std::size_t>(best)), 0.03);
}

}  // namespace
}  // namespace priorfit::internal

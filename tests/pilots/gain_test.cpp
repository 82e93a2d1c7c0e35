#include "pilots/gain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"

namespace priorfit::internal {
namespace {

// Quantiles as tables of the distribution give them.
TEST(Gain, KnowsStudentsQuantiles) {
  EXPECT_NEAR(student_quantile(0.975, 5), 2.570582, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 8), 2.306004, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 1), 6.313752, 1e-5);
  EXPECT_NEAR(student_quantile(0.995, 30), 2.749996, 1e-6);
}

std::vector<PilotResult> pairs(const std::vector<double>& current, const std::vector<double>& other) {
  std::vector<PilotResult> results;
  for (std::size_t b = 0; b < current.size(); ++b) {
    results.push_back({0, static_cast<Index>(b) + 1, 1, current[b]});
    results.push_back({1, static_cast<Index>(b) + 1, 1, other[b]});
  }
  return results;
}

TEST(Gain, IsTheMeanOverBlocks) {
  const auto results = pairs({0.10, 0.12, 0.09, 0.13}, {0.08, 0.09, 0.08, 0.10});
  const auto gain = measured_gain(results, 0, 1, true, 1);
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->blocks, 4);
  EXPECT_NEAR(gain->mean, 0.0225, 1e-12);
  const double variance = (2.5e-3 * 2.5e-3 + 7.5e-3 * 7.5e-3 + 12.5e-3 * 12.5e-3 + 7.5e-3 * 7.5e-3) / 3;
  EXPECT_NEAR(gain->standard_error, std::sqrt(variance * (1.0 / 4 + 1.0 / 11)), 1e-12);
  EXPECT_NEAR(gain->upper - gain->mean, 3.182446 * gain->standard_error, 1e-6);
  const auto looked_twice = measured_gain(results, 0, 1, true, 2);
  EXPECT_LT(looked_twice->lower, gain->lower);
}

TEST(Gain, OfNumbersIsAShareOfTheError) {
  const auto gain = measured_gain(pairs({4, 4, 4, 4}, {1, 1, 1, 1}), 0, 1, false, 1);
  EXPECT_NEAR(gain->mean, 0.5, 1e-12);  // mean squared errors 4 and 1
}

TEST(Gain, NeedsBlocksThatBothWereMeasuredOn) {
  EXPECT_FALSE(measured_gain(pairs({0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}), 0, 1, true, 1));
  auto results = pairs({0.1, 0.1, 0.1, 0.1, 0.1}, {0.2, 0.2, 0.2, 0.2, NAN});
  EXPECT_EQ(measured_gain(results, 0, 1, true, 1)->blocks, 4);
  EXPECT_FALSE(measured_start(results, 1, true));  // diverged once
  EXPECT_FALSE(measured_gain(results, 0, 0, true, 1));
}

// Nine blocks, one and then two networks each, looked at both times; both starts equally good.
TEST(Gain, IsSeldomPositiveWhereThereIsNone) {
  const RandomStream stream(7, RandomUse::simulation);
  std::vector<double> draws(200'000);
  stream.fill_normal(std::span(draws));
  std::size_t next = 0;
  int positive = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<PilotResult> results;
    std::vector<double> shared;
    for (int b = 0; b < 9; ++b) shared.push_back(0.02 * draws[next++]);
    bool found = false;
    for (std::uint64_t look = 1; look <= 2 && !found; ++look) {
      for (int b = 0; b < 9; ++b) {
        for (std::size_t start : {0, 1}) {
          // What the rows left out add to either start alone does not go away with more networks.
          results.push_back({start, b + 1, look, 0.2 + (start ? shared[std::size_t(b)] : 0.0) + 0.02 * draws[next++]});
        }
      }
      found = measured_gain(results, 0, 1, true, 2)->positive();
    }
    positive += found;
  }
  EXPECT_LT(positive, 0.025 * trials);
  EXPECT_GT(positive, 0);
}

}  // namespace
}  // namespace priorfit::internal

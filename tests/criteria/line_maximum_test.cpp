#include "criteria/line_maximum.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace priorfit::internal {
namespace {

TEST(LineMaximum, FindsTheHighestOfTwo) {
  const auto two = [](double x, double* slope) {
    const double a = std::exp(-8 * (x + 1) * (x + 1)), b = 1.2 * std::exp(-8 * (x - 1.3) * (x - 1.3));
    if (slope) *slope = -16 * (x + 1) * a - 16 * (x - 1.3) * b;
    return a + b;
  };
  EXPECT_NEAR(*line_maximum(two, -3, 3, {.scan = 25}), 1.3, 1e-6);
}

TEST(LineMaximum, EndsWhereTheFunctionStillRises) {
  const auto rising = [](double x, double* slope) {
    if (slope) *slope = 1.0;
    return x;
  };
  EXPECT_EQ(line_maximum(rising, -1, 2, {}), 2.0);
  const auto falling = [&](double x, double* slope) {
    if (slope) *slope = -1.0;
    return -x;
  };
  EXPECT_EQ(line_maximum(falling, -1, 2, {}), -1.0);
}

TEST(LineMaximum, PassesOverWhereTheFunctionDoesNotExist) {
  const auto half = [](double x, double* slope) {
    if (x < 0) return std::nan("");
    if (slope) *slope = -2 * (x - 0.37);
    return -(x - 0.37) * (x - 0.37);
  };
  EXPECT_NEAR(*line_maximum(half, -2, 2, {}), 0.37, 1e-6);
  EXPECT_FALSE(line_maximum([](double, double*) { return std::nan(""); }, 0, 1, {}));
}

// A steep side and a flat one: a secant alone would creep.
TEST(LineMaximum, IsAsExactAsAskedForOnASkewedPeak) {
  int calls = 0;
  const auto skewed = [&](double x, double* slope) {
    ++calls;
    if (slope) *slope = -std::exp(20 * (x - 0.6)) + 1;
    return -std::exp(20 * (x - 0.6)) / 20 + x;
  };
  EXPECT_NEAR(*line_maximum(skewed, -4, 4, {.tolerance = 1e-9}), 0.6, 1e-8);
  EXPECT_LT(calls, 80);
}

}  // namespace
}  // namespace priorfit::internal

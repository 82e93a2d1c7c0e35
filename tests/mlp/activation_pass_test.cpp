// The vector passes against Activation itself: values and slopes to their stated bounds, NaN and infinity, and the same
// bytes wherever in a tile a number stands.
#include "mlp/activation_pass.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mlp/every_activation.hpp"

namespace priorfit::internal {
namespace {

template <typename T>
struct Passed {
  std::vector<T> values, slopes;
};

// φ and φ′ at `points` in tiles of `width`, the rest of the rows' stride left for the passes not to touch.
template <typename T>
Passed<T> pass(const Activation& activation, const std::vector<T>& points, Index width) {
  constexpr Index gap = 3;
  const T untouched = T{-77};
  const Index rows = (static_cast<Index>(points.size()) + width - 1) / width, stride = width + gap;
  std::vector<T> values(static_cast<std::size_t>(rows * stride), untouched), slopes = values, delta = values;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t at = i / static_cast<std::size_t>(width) * stride + i % static_cast<std::size_t>(width);
    values[at] = points[i];
    delta[at] = T{1};
  }
  const std::vector<T> bias(static_cast<std::size_t>(width), T{0});
  T* kept = keeps_slopes(activation) ? slopes.data() : nullptr;
  activate(activation, Tile<T>{values.data(), rows, width, stride}, bias.data(), kept);
  multiply_by_slope(activation, Tile<T>{delta.data(), rows, width, stride}, values.data(), kept);
  Passed<T> passed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<Index>(i) % stride < width) {
      passed.values.push_back(values[i]);
      passed.slopes.push_back(delta[i]);
    } else {
      EXPECT_EQ(values[i], untouched);
      EXPECT_EQ(slopes[i], untouched);
      EXPECT_EQ(delta[i], untouched);
    }
  }
  passed.values.resize(points.size());
  passed.slopes.resize(points.size());
  return passed;
}

// Both zeros, a dense range about them, and every size the type has.
template <typename T>
std::vector<T> hard_points() {
  std::vector<T> points = {T{0},
                           -T{0},
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::lowest(),
                           std::numeric_limits<T>::min(),
                           -std::numeric_limits<T>::min()};
  for (int i = -60000; i <= 60000; ++i) points.push_back(static_cast<T>(i * 0.000731));
  const double largest = std::log(static_cast<double>(std::numeric_limits<T>::max()));
  for (int i = -5000; i < 5000; ++i) {
    const auto size = static_cast<T>(std::exp(largest * i / 5000.0));
    points.push_back(size);
    points.push_back(-size);
  }
  return points;
}

class ActivationPass : public testing::TestWithParam<Activation> {
 protected:
  template <typename T>
  void expect_within_bounds() const {
    const Activation& activation = GetParam();
    const std::vector<T> points = hard_points<T>();
    const Passed<T> passed = pass(activation, points, 61);
    const double epsilon = std::numeric_limits<T>::epsilon(), smallest = std::numeric_limits<T>::min();
    double worst_value = 0, worst_slope = 0, value_at = 0, slope_at = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto z = static_cast<double>(points[i]);
      const double value = activation(z), slope = activation.derivative(z);
      if (!std::isfinite(static_cast<T>(value))) {  // softplus and selu at the largest numbers
        EXPECT_EQ(passed.values[i], static_cast<T>(value)) << z;
        continue;
      }
      const double value_error = std::abs(static_cast<double>(passed.values[i]) - value) / epsilon /
                                 std::max({std::abs(value), std::min(std::abs(z), 1.0), smallest});
      const double slope_error =
          std::abs(static_cast<double>(passed.slopes[i]) - slope) / epsilon / std::max(std::abs(slope), 1.0);
      if (!(value_error <= worst_value)) worst_value = value_error, value_at = z;
      if (!(slope_error <= worst_slope)) worst_slope = slope_error, slope_at = z;
    }
    EXPECT_LE(worst_value, 3.0) << "value at " << value_at;
    EXPECT_LE(worst_slope, 3.0) << "slope at " << slope_at;
  }

  template <typename T>
  void expect_limits() const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const std::vector<T> points = {std::numeric_limits<T>::quiet_NaN(), infinity, -infinity};
    const Passed<T> passed = pass(GetParam(), points, 3);
    EXPECT_TRUE(std::isnan(passed.values[0]));
    for (std::size_t i = 1; i < 3; ++i) {
      // The limit; NaN where there is none, or where the formula has ∞ · 0. Never another finite number.
      const auto limit = static_cast<T>(GetParam()(points[i] > 0 ? 1e300 : -1e300));
      if (std::isfinite(passed.values[i])) {
        EXPECT_EQ(passed.values[i], limit);
      }
    }
  }

  template <typename T>
  void expect_same_bytes_anywhere() const {
    std::vector<T> points = {T{0.3F}, T{-2.5F}, T{50000}, T{-9.75F}, T{1e-20F}, T{-0.7F}, T{88.8F}};
    for (int i = 0; i < 400; ++i) points.push_back(static_cast<T>(std::sin(i * 1.7) * std::exp(i * 0.02 - 5)));
    const Passed<T> alone = pass(GetParam(), points, 1);
    for (const Index width : {2, 5, 16, 37, 401}) {
      const Passed<T> together = pass(GetParam(), points, width);
      EXPECT_EQ(std::memcmp(together.values.data(), alone.values.data(), points.size() * sizeof(T)), 0) << width;
      EXPECT_EQ(std::memcmp(together.slopes.data(), alone.slopes.data(), points.size() * sizeof(T)), 0) << width;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Every, ActivationPass, testing::ValuesIn(test::every_activation()), test::activation_label);

// Including those without a fused multiply-add.
TEST_P(ActivationPass, IsWithinItsBoundsOnEveryInstructionSet) {
  const std::int64_t here = hwy::SupportedTargets() & HWY_TARGETS;
  for (std::int64_t rest = here; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::DisableTargets(~target);
    expect_within_bounds<float>();
    expect_within_bounds<double>();
  }
  hwy::DisableTargets(0);
}

TEST_P(ActivationPass, NanIsHandedOnAndInfinityGivesTheLimitOrNan) {
  expect_limits<float>();
  expect_limits<double>();
}

TEST_P(ActivationPass, PlaceInTheTileDoesNotMatter) {
  expect_same_bytes_anywhere<float>();
  expect_same_bytes_anywhere<double>();
}

TEST_P(ActivationPass, AddsTheBiasOfTheColumn) {
  std::vector<double> values(23, 0.25), bias(23), slopes(23);
  for (std::size_t k = 0; k < 23; ++k) bias[k] = 0.1 * static_cast<double>(k) - 1.0;
  activate(GetParam(), Tile<double>{values.data(), 1, 23, 23}, bias.data(),
           keeps_slopes(GetParam()) ? slopes.data() : nullptr);
  for (std::size_t k = 0; k < 23; ++k) EXPECT_NEAR(values[k], GetParam()(0.25 + bias[k]), 1e-14);
}

}  // namespace
}  // namespace priorfit::internal

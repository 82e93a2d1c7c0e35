// What holds for the dual of every activation: 50-digit values, differences, symmetry, reductions and limits (M2).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "kernel/layers.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
using namespace internal;
namespace {

TEST(Duals, MatchTheOracle) {
  int checked = 0;
  for (const auto& entry : oracle::values().at("duals")) {
    const Activation activation = oracle::activation(entry);
    const double a = oracle::number(entry.at("q1")), b = oracle::number(entry.at("q2")),
                 c = oracle::number(entry.at("c"));
    const bool numerical = activation.kind() >= Activation::Kind::tanh;
    const double tolerance = numerical ? 1e-8 : 1e-13;
    EXPECT_TRUE(oracle::close(dual(activation, a, b, c).value, oracle::number(entry.at("value")), tolerance))
        << entry.dump();
    ++checked;
  }
  EXPECT_EQ(checked, 24);
}

class EveryActivation : public testing::TestWithParam<std::string> {
 protected:
  const Activation activation = Activation::parse(GetParam());
  Dual at(double a, double b, double c) const { return dual(activation, a, b, c); }
};

constexpr double variances[] = {0.03, 0.7, 2.5};
constexpr double correlations[] = {-0.97, -0.4, 0.0, 0.3, 0.9};

TEST_P(EveryActivation, DerivativeIsTheSlope) {
  for (const double a : variances) {
    for (const double b : variances) {
      for (const double correlation : correlations) {
        const double c = correlation * std::sqrt(a * b), h = 1e-3 * std::sqrt(a * b);
        // Five points, the noise of a table being about 1e-11.
        const auto difference = [&](double step) { return at(a, b, c + step).value - at(a, b, c - step).value; };
        const double slope = (8 * difference(h) - difference(2 * h)) / (12 * h);
        const double scale = std::abs(at(a, b, 0.99 * std::sqrt(a * b)).value) / std::sqrt(a * b);
        EXPECT_NEAR(at(a, b, c).derivative, slope, 2e-7 * scale + 1e-7 * std::abs(slope)) << a << ' ' << b << ' ' << c;
      }
    }
  }
}

TEST_P(EveryActivation, DualIsSymmetric) {
  for (const double correlation : correlations) {
    const double c = correlation * std::sqrt(0.7 * 2.5);
    EXPECT_TRUE(oracle::close(at(0.7, 2.5, c).value, at(2.5, 0.7, c).value, 1e-12, 1e-14));
  }
}

TEST_P(EveryActivation, DiagonalContinuesTheDual) {
  for (const double q : {1e-9, 0.01, 0.4, 1.0, 7.0, 300.0}) {
    const Dual diagonal = DiagonalDual(activation)(q);
    EXPECT_TRUE(oracle::close(at(q, q, q).value, diagonal.value, 1e-10)) << q;
    const double h = 1e-3 * q;
    const auto difference = [&](double step) {
      return DiagonalDual(activation)(q + step).value - DiagonalDual(activation)(q - step).value;
    };
    const double slope = (8 * difference(h) - difference(2 * h)) / (12 * h);
    EXPECT_TRUE(oracle::close(diagonal.derivative, slope, 1e-8, 1e-10 * diagonal.value / q)) << q;
  }
}

// E[φ(u)²] by the trapezoid rule on either side of 0: independent of closed forms and tables alike.
TEST_P(EveryActivation, DiagonalIsTheIntegral) {
  for (const double q : {0.01, 1.0, 9.0}) {
    double sum = 0, weights = 0;
    constexpr double h = 1e-4;
    for (double z = h / 2; z < 9; z += h) {  // midpoints, so that a kink at 0 is a boundary
      const double density = std::exp(-0.5 * z * z), up = activation(std::sqrt(q) * z),
                   down = activation(-std::sqrt(q) * z);
      sum += density * (up * up + down * down);
      weights += 2 * density;
    }
    EXPECT_TRUE(oracle::close(DiagonalDual(activation)(q).value, sum / weights, 1e-8)) << q;
  }
}

TEST_P(EveryActivation, NoVarianceIsTheLimit) {
  const double at_zero = activation(0.0);
  EXPECT_NEAR(at(0.0, 0.0, 0.0).value, at_zero * at_zero, 1e-12);
  const double tiny = at(1e-30, 2.0, 0.5e-15).value;
  EXPECT_NEAR(at(0.0, 2.0, 0.0).value, tiny, 1e-12);
  EXPECT_NEAR(at(0.0, 0.0, 0.0).derivative, at(1e-30, 1e-30, 1e-30).derivative, 1e-12);
}

void expect_numbers(const Activation& activation, const std::vector<double>& sizes) {
  const DiagonalDual diagonal(activation);
  for (const double a : sizes) {
    for (const double b : sizes) {
      for (const double correlation : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
        const Dual result = dual(activation, a, b, correlation * std::sqrt(a) * std::sqrt(b));
        EXPECT_TRUE(std::isfinite(result.value) && std::isfinite(result.derivative))
            << a << ' ' << b << ' ' << correlation;
        const double bound = std::sqrt(diagonal(a).value) * std::sqrt(diagonal(b).value);
        EXPECT_LE(std::abs(result.value), bound * (1 + 1e-8)) << a << ' ' << b << ' ' << correlation;  // Cauchy–Schwarz
      }
    }
  }
}

TEST_P(EveryActivation, AnyVarianceGivesANumber) {
  // Tables of large variances take long to make, so those beyond are tried once, below.
  const bool tabulated = is_tabulated(activation);
  expect_numbers(activation, tabulated ? std::vector{1e-30, 1e-9, 0.01, 1.0}
                                       : std::vector{1e-149, 1e-30, 1e-9, 0.01, 1.0, 1e6, 1e30, 1e80, 1e149});
}

// Up to the largest variance there is (2^500): products of three overflow there.
TEST(GeluDual, IsThatOfReluFarFromZero) {
  const Activation gelu = Activation::parse("gelu"), relu = Activation::parse("relu");
  for (const double size : {1e40, 1e80, 1e110, 3e149}) {
    for (const double correlation : {-0.9, -0.3, 0.2, 0.8, 0.999}) {
      const double c = correlation * size * std::sqrt(0.3);
      const Dual found = dual(gelu, size, 0.3 * size, c), expected = dual(relu, size, 0.3 * size, c);
      EXPECT_TRUE(oracle::close(found.value, expected.value, 1e-12)) << size << ' ' << correlation;
      EXPECT_TRUE(oracle::close(found.derivative, expected.derivative, 1e-12)) << size << ' ' << correlation;
    }
    EXPECT_TRUE(oracle::close(DiagonalDual(gelu)(size).value, 0.5 * size, 1e-12)) << size;
    EXPECT_TRUE(oracle::close(DiagonalDual(gelu)(size).derivative, 0.5, 1e-12)) << size;
  }
}

TEST(TableDual, VariancesBeyondTheTablesGiveNumbers) {
  expect_numbers(Activation::parse("tanh"), {1e-30, 1e30});
  EXPECT_NEAR(dual(Activation::parse("tanh"), 1e30, 1e30, 0.5e30).value, 1.0 / 3, 1e-3);  // (2/π) asin(1/2), as of sign
}

std::vector<std::string> names() {
  std::vector<std::string> all = Activation::names();
  all.push_back("leaky_relu:0.2");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Known, EveryActivation, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& letter : name)
    if (!std::isalnum(letter)) letter = '_';
  return name;
});

RC_GTEST_PROP(TwoSlopeDual, ReducesToItsRelatives, ()) {
  const double a = std::exp2(*rc::gen::inRange(-80, 81) / 8.0), b = std::exp2(*rc::gen::inRange(-80, 81) / 8.0);
  const double c = *rc::gen::inRange(-1000, 1001) / 1000.0 * std::sqrt(a) * std::sqrt(b);
  const auto value = [&](const char* name, double covariance) {
    return dual(Activation::parse(name), a, b, covariance).value;
  };
  RC_ASSERT(oracle::close(value("leaky_relu:0", c), value("relu", c), 1e-14, 1e-16 * std::sqrt(a * b)));
  RC_ASSERT(value("leaky_relu:1", c) == c);
  RC_ASSERT(value("identity", c) == c);
  RC_ASSERT(value("leaky_relu:-1", c) == value("abs", c));
  RC_ASSERT(value("abs", -c) == value("abs", c));
  // |x| = relu(x) + relu(−x)
  RC_ASSERT(oracle::close(value("abs", c), 2 * (value("relu", c) + value("relu", -c)), 1e-14));
}

// (1 − s)² times a ReLU dual that vanishes as the cube of the angle, next to a linear part that does not.
TEST(TwoSlopeDual, AbsKeepsItsDigitsNextToParallel) {
  for (const double gap : {0x1p-13, 0x1p-26, 0x1p-40}) {
    const double c = 1 - gap;
    EXPECT_TRUE(oracle::close(dual(Activation::parse("abs"), 1, 1, c).value, 4 * dual(Activation(), 1, 1, -c).value + c,
                              1e-15));
    EXPECT_EQ(dual(Activation::parse("abs"), 1, 1, -c).value, dual(Activation::parse("abs"), 1, 1, c).value);
  }
}

}  // namespace
}  // namespace priorfit

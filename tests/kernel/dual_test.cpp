// The ReLU dual E[φ(u)φ(v)] (M2) against 50-digit values, limits and laws.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
namespace {

const Activation relu = Activation::parse("relu");

// Points of tests/kernel/hard_duals.json: (a, b, c) are doubles, the value is exact for those doubles, most of them
// closer to parallel or antiparallel than acos can tell, over forty orders of magnitude.
TEST(ReluDual, KeepsTwelveDigitsWhereAcosLosesThem) {
  const auto json = nlohmann::json::parse(std::ifstream(PRIORFIT_TESTS "/kernel/hard_duals.json"));
  for (const auto& point : json.at("points")) {
    const auto at = [&](const char* key) { return std::strtod(point.at(key).get<std::string>().c_str(), nullptr); };
    const Dual computed = dual(relu, at("a"), at("b"), at("c"));
    EXPECT_TRUE(oracle::close(computed.value, at("value"), 1e-12)) << point.dump();
    EXPECT_TRUE(oracle::close(computed.derivative, at("derivative"), 1e-12)) << point.dump();
  }
  EXPECT_GE(json.at("points").size(), 500u);
}

TEST(ReluDual, ZeroInputGivesZero) {
  EXPECT_EQ(dual(relu, 0.0, 0.0, 0.0).value, 0.0);
  EXPECT_EQ(dual(relu, 0.0, 3.0, 0.0).value, 0.0);
  EXPECT_EQ(dual(relu, 3.0, 0.0, 0.0).value, 0.0);
}

TEST(ReluDual, LimitsAreExact) {
  EXPECT_DOUBLE_EQ(dual(relu, 2.0, 2.0, 2.0).value, 1.0);                     // parallel: a/2
  EXPECT_DOUBLE_EQ(dual(relu, 2.0, 8.0, 4.0).value, 2.0);                     // parallel, different lengths
  EXPECT_EQ(dual(relu, 2.0, 2.0, -2.0).value, 0.0);                           // antiparallel
  EXPECT_DOUBLE_EQ(dual(relu, 1.0, 1.0, 0.0).value, 0.5 / std::numbers::pi);  // orthogonal
  EXPECT_DOUBLE_EQ(dual(relu, 1.0, 1.0, 1.0).derivative, 0.5);
  EXPECT_EQ(dual(relu, 1.0, 1.0, -1.0).derivative, 0.0);
}

TEST(ReluDual, RefusesImpossibleVariances) {
  EXPECT_THROW(dual(relu, -1.0, 1.0, 0.0), Error);
  EXPECT_THROW(dual(relu, 1.0, std::nan(""), 0.0), Error);
}

struct Point {
  double a, b, c;
};

Point random_point() {
  const auto scale = [] { return std::exp2(*rc::gen::inRange(-40, 41) / 4.0); };
  const double a = scale(), b = scale();
  const double correlation = *rc::gen::inRange(-9999, 10000) / 10000.0;
  return {a, b, correlation * std::sqrt(a) * std::sqrt(b)};
}

RC_GTEST_PROP(ReluDual, IsSymmetric, ()) {
  const Point p = random_point();
  RC_ASSERT(dual(relu, p.a, p.b, p.c).value == dual(relu, p.b, p.a, p.c).value);
}

RC_GTEST_PROP(ReluDual, IsPositivelyHomogeneous, ()) {
  const Point p = random_point();
  const double value = dual(relu, p.a, p.b, p.c).value;
  RC_ASSERT(dual(relu, 4 * p.a, 4 * p.b, 4 * p.c).value == 4 * value);
}

RC_GTEST_PROP(ReluDual, EvenAndOddPartsAreKnown, ()) {
  // E[φ(u)φ(v)] − E[φ(u)φ(−v)] = E[φ(u) v] = c/2
  const Point p = random_point();
  const double difference = dual(relu, p.a, p.b, p.c).value - dual(relu, p.a, p.b, -p.c).value;
  RC_ASSERT(std::abs(difference - p.c / 2) <= 1e-14 * std::sqrt(p.a * p.b));
}

RC_GTEST_PROP(ReluDual, DerivativeIsTheSlope, ()) {
  const Point p = random_point();
  const double step = 1e-5 * std::sqrt(p.a * p.b);
  const double slope = (dual(relu, p.a, p.b, p.c + step).value - dual(relu, p.a, p.b, p.c - step).value) / (2 * step);
  RC_ASSERT(std::abs(slope - dual(relu, p.a, p.b, p.c).derivative) < 1e-4);
}

}  // namespace
}  // namespace priorfit

// Mean-field quantities (M9) against known values and against the recursion itself.
#include "priorfit/signal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/layers.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
using namespace internal;
namespace {

Activation named(const char* name) { return Activation::parse(name); }

TEST(CriticalPoint, HasItsKnownValues) {
  EXPECT_NEAR(critical_point(named("tanh"), 0.05)->weight_variance, 1.76095464, 1e-8);
  EXPECT_NEAR(critical_point(named("tanh"), 0.05)->fixed_point, 0.57004788, 1e-7);
  EXPECT_NEAR(critical_point(named("erf"), 0.05)->weight_variance, 1.37583901, 1e-8);
  EXPECT_NEAR(critical_point(named("gelu"), 0.1)->weight_variance, 2.07667619, 1e-8);
  EXPECT_NEAR(critical_point(named("tanh"), 0.0)->weight_variance, 1.0, 1e-8);
  EXPECT_NEAR(critical_point(named("erf"), 0.0)->weight_variance, std::atan(1.0), 1e-12);  // φ′(0)² = 4/π
}

// A kink away from 0 leaves tables that do not converge: no number is better than a wrong one.
TEST(CriticalPoint, RefusesWhatTheTablesCannotHold) {
  const Activation hard = Activation::custom("hardtanh", [](double x) { return std::clamp(x, -1.0, 1.0); });
  EXPECT_THROW(critical_point(hard, 0.05), Error);
  EXPECT_THROW(signal_propagation(hard, {1.5, 0.05}), Error);
  EXPECT_THROW(phase_map({.activation = hard}), Error);
}

TEST(CriticalPoint, ReluHasOneOnlyWithoutBias) {
  EXPECT_DOUBLE_EQ(critical_point(named("relu"), 0.0)->weight_variance, 2.0);
  EXPECT_FALSE(critical_point(named("relu"), 0.01).has_value());
  EXPECT_EQ(signal_propagation(named("relu"), {2.0, 0.0}).phase, Phase::critical);
  EXPECT_NE(signal_propagation(named("relu"), {2.0, 0.1}).phase, Phase::critical);
  EXPECT_EQ(signal_propagation(named("relu"), {1.9, 0.0}).phase, Phase::ordered);
  EXPECT_EQ(signal_propagation(named("relu"), {2.1, 0.0}).phase, Phase::chaotic);
}

class SignalOf : public testing::TestWithParam<std::string> {};

// Whatever the fixed point is, deep layers settle there; and the phases meet at the critical point.
TEST_P(SignalOf, FixedPointIsWhereTheRecursionEnds) {
  const Activation activation = Activation::parse(GetParam());
  const DiagonalDual diagonal(activation);
  for (const LayerPrior& prior : {LayerPrior{0.6, 0.0}, LayerPrior{0.8, 0.2}, LayerPrior{1.5, 0.05}}) {
    const SignalPropagation signal = signal_propagation(activation, prior);
    double q = 1.0;
    for (int l = 0; l < 3000 && q < 1e6; ++l) q = prior.bias_variance + prior.weight_variance * diagonal(q).value;
    if (std::isfinite(signal.fixed_point)) {
      EXPECT_NEAR(q, signal.fixed_point, 1e-6 * (1e-3 + q)) << prior.weight_variance;
    } else {
      EXPECT_GE(q, 1e6) << prior.weight_variance;
    }
    EXPECT_NEAR(signal.depth_scale, 1 / std::abs(std::log(signal.chi)), 1e-9 * signal.depth_scale);
    EXPECT_EQ(signal.phase == Phase::ordered, signal.chi < 1);
  }
}

TEST_P(SignalOf, PhasesMeetAtTheCriticalPoint) {
  const Activation activation = Activation::parse(GetParam());
  for (const double bias : {0.0, 0.05}) {
    const auto critical = critical_point(activation, bias);
    if (!critical) continue;
    const SignalPropagation at = signal_propagation(activation, {critical->weight_variance, bias});
    if (critical->reached) {
      EXPECT_NEAR(at.chi, 1.0, 2e-4) << bias;
    } else {
      EXPECT_GT(std::abs(at.chi - 1.0), 1e-2) << bias;
    }
  }
}

// GELU's critical fixed points repel while σ_b² is small: layer by layer a variance of 1 moves away from them.
TEST(CriticalPoint, SaysWhetherASignalSettlesThere) {
  const DiagonalDual diagonal(named("gelu"));
  for (const double bias : {0.0, 0.01, 0.1, 0.2, 0.5}) {
    const CriticalPoint point = *critical_point(named("gelu"), bias);
    double q = 1.0;
    for (int l = 0; l < 20000 && q < 1e6; ++l) q = bias + point.weight_variance * diagonal(q).value;
    EXPECT_EQ(point.reached, std::abs(q - point.fixed_point) < 0.01 * point.fixed_point) << bias << ": " << q;
    EXPECT_EQ(point.reached, bias >= 0.2);
    EXPECT_EQ(signal_propagation(named("gelu"), {0.999 * point.turns_at, bias}).phase, Phase::ordered);
    EXPECT_EQ(signal_propagation(named("gelu"), {1.001 * point.turns_at, bias}).phase, Phase::chaotic);
  }
  for (const char* name : {"tanh", "erf", "sin"}) EXPECT_TRUE(critical_point(named(name), 0.05)->reached) << name;
  EXPECT_TRUE(critical_point(named("relu"), 0.0)->reached);
}

INSTANTIATE_TEST_SUITE_P(Known, SignalOf, testing::ValuesIn(Activation::names()),
                         [](const auto& info) { return info.param; });

TEST(PhaseMap, HasACellForEachPairAndSaysWhatSurvives) {
  const PhaseMap map = phase_map({.activation = named("tanh"), .depth = 20});
  ASSERT_EQ(map.cells.size(), map.options.bias_variances.size());
  ASSERT_EQ(map.cells[0].size(), map.options.weight_variances.size());
  EXPECT_TRUE(map.survives(signal_propagation(named("tanh"), {1.76, 0.05})));
  EXPECT_FALSE(map.survives(signal_propagation(named("tanh"), {0.5, 0.05})));
  EXPECT_THROW(phase_map({.activation = named("tanh"), .depth = 0}), Error);
  EXPECT_THROW(phase_map({.weight_variances = {-1.0}}), Error);
}

}  // namespace
}  // namespace priorfit

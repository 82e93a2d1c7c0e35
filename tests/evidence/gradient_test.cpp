// Derivatives of the evidence and leave-one-out densities.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "helpers.hpp"
#include "linalg/threads.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

TEST(EvidenceGradient, MatchesTheOracle) {
  int checked = 0;
  for (const auto& problem : oracle::values().at("problems")) {
    const Matrix x = oracle::matrix(problem.at("X")), y = oracle::matrix(problem.at("Y"));
    EvidenceEngine engine(x, y, NetworkSpec::uniform(problem.at("depth").get<Index>(), 1, oracle::activation(problem)));
    const LayerPrior prior{oracle::number(problem.at("weight_variance")), oracle::number(problem.at("bias_variance"))};
    const double noise = oracle::number(problem.at("noise_variance"));
    const EvidenceGradient slope = engine.evaluate_with_gradient(prior, noise);
    const auto expected = [&](const char* name) { return oracle::number(problem.at("gradient").at(name)); };
    const double density = oracle::number(problem.at("loo_log_predictive"));
    EXPECT_TRUE(oracle::close(slope.by_weight_variance, expected("weight_variance"), 1e-10));
    EXPECT_TRUE(oracle::close(slope.by_bias_variance, expected("bias_variance"), 1e-10));
    EXPECT_TRUE(oracle::close(slope.by_noise_variance, expected("noise_variance"), 1e-10));
    EXPECT_TRUE(oracle::close(slope.evidence.leave_one_out, density, 1e-10));
    EXPECT_TRUE(oracle::close(engine.evaluate_with_leave_one_out(prior, noise).leave_one_out, density, 1e-10));
    ++checked;
  }
  EXPECT_EQ(checked, 8);
}

RC_GTEST_PROP(EvidenceGradient, AgreesWithDifferences, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 40);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Matrix x = random_matrix(rows, *rc::gen::inRange<Index>(1, 9), seed);
  const Matrix y = random_matrix(rows, *rc::gen::inRange<Index>(1, 4), seed + 1);
  const NetworkSpec network = NetworkSpec::uniform(*rc::gen::inRange<Index>(1, 5));
  const LayerPrior prior{*rc::gen::inRange(1, 40) / 10.0, *rc::gen::inRange(1, 20) / 10.0};
  const double noise = std::pow(10.0, -*rc::gen::inRange(0, 4));
  const auto gram = *rc::gen::element(GramStorage::held, GramStorage::recomputed);
  EvidenceEngine engine(x, y, network, {.gram = gram});
  const GradientCheck check = check_gradient(engine, prior, noise);
  if (!check.agrees()) RC_FAIL(check.report());
}

class GradientOf : public testing::TestWithParam<std::string> {};

TEST_P(GradientOf, AgreesWithDifferences) {
  const Matrix x = random_matrix(30, 6, 1), y = random_matrix(30, 2, 2);
  for (const Index depth : {1, 3}) {
    EvidenceEngine engine(x, y, NetworkSpec::uniform(depth, 1, Activation::parse(GetParam())));
    const GradientCheck check = check_gradient(engine, {1.4, 0.2}, 0.05);
    EXPECT_TRUE(check.agrees()) << "depth " << depth << ": " << check.report();
  }
}

INSTANTIATE_TEST_SUITE_P(EveryActivation, GradientOf, testing::ValuesIn(Activation::names()),
                         [](const auto& info) { return info.param; });

// An input of zeros has no variance without bias; smooth activations still have a derivative in the bias there.
TEST(EvidenceGradient, SmoothActivationsHaveABiasDerivativeAtAZeroInput) {
  Matrix x = random_matrix(8, 3, 4);
  x.row(4).setZero();
  const Matrix y = random_matrix(8, 1, 5);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(2, 1, Activation::parse("gelu")));
  const double slope = engine.evaluate_with_gradient({2.0, 0.0}, 0.1).by_bias_variance;
  const auto at = [&](double b) { return engine.evaluate({2.0, b}, 0.1).log_marginal_likelihood; };
  const double h = 1e-4;  // one-sided, second order
  EXPECT_NEAR(slope, (-3 * at(0) + 4 * at(h) - at(2 * h)) / (2 * h), 1e-4 * std::abs(slope));
}

/// ∂K/∂σ_b² of a ReLU network at σ_b² = 0, by Price's theorem: ∂E/∂c = E[φ′(u)φ′(v)] = (π − φ)/2π, and ∂E/∂a =
/// ½ E[φ″(u)φ(v)] is half of u's density at 0 times E[φ(v) | u = 0] = √((b − c²/a)/2π).
Matrix slope_by_bias(const Matrix& x, double weight_variance, Index depth) {
  using Real = long double;  // acos shows √ of the rounding error at parallel inputs
  constexpr Real pi = std::numbers::pi_v<Real>;
  const Real w = weight_variance, features = static_cast<Real>(x.cols());
  const auto at = [&](Index i, Index j) { return x.row(i).cast<Real>().dot(x.row(j).cast<Real>()) * w / features; };
  Matrix slope(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      Real a = at(i, i), b = at(j, j), c = at(i, j), of_variance = 1, of_covariance = 1;
      for (Index l = 0; l < depth; ++l) {
        const Real size = std::sqrt(a * b), angle = std::acos(std::clamp(c / size, Real{-1}, Real{1}));
        const Real by_a = size * std::sin(angle) / (4 * pi * a), by_b = size * std::sin(angle) / (4 * pi * b);
        const Real by_c = (pi - angle) / (2 * pi);
        of_covariance = 1 + w * ((by_a + by_b) * of_variance + by_c * of_covariance);
        of_variance = 1 + w * of_variance / 2;
        c = w * size * (std::sin(angle) + (pi - angle) * std::cos(angle)) / (2 * pi);
        a *= w / 2;
        b *= w / 2;
      }
      slope(i, j) = static_cast<double>(of_covariance);
    }
  }
  return slope;
}

// At σ_b² = 0, inputs of nearly the same or opposite direction leave a term in σ_b³, so that differences in σ_b²
// converge like σ_b: that derivative is compared with M3 as it stands instead.
RC_GTEST_PROP(EvidenceGradient, IsExactWithoutBias, ()) {
  const auto rows = *rc::gen::inRange<Index>(3, 25);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Matrix x = random_matrix(rows, *rc::gen::inRange<Index>(2, 9), seed);
  x.row(1) = 2 * x.row(0);
  x.row(2) = -x.row(0);
  const Matrix y = random_matrix(rows, *rc::gen::inRange<Index>(1, 4), seed + 1);
  const auto depth = *rc::gen::inRange<Index>(1, 4);
  const LayerPrior prior{*rc::gen::inRange(1, 40) / 10.0, 0.0};
  const double noise = std::pow(10.0, -*rc::gen::inRange(0, 3));
  EvidenceEngine engine(x, y, NetworkSpec::uniform(depth));
  const GradientCheck check = check_gradient(engine, prior, noise);
  if (!check.entries[0].agrees || !check.entries[2].agrees) RC_FAIL(check.report());

  const Eigen::MatrixXd a = covariance(NetworkSpec::uniform(depth), prior, x) + noise * Matrix::Identity(rows, rows);
  const Eigen::MatrixXd inverse = a.inverse(), alpha = inverse * y;
  const Eigen::MatrixXd product = (alpha * alpha.transpose() - static_cast<double>(y.cols()) * inverse)
                                      .cwiseProduct(slope_by_bias(x, prior.weight_variance, depth));
  RC_ASSERT(std::abs(check.gradient.by_bias_variance - 0.5 * product.sum()) <= 1e-9 * product.cwiseAbs().sum());
}

TEST(EvidenceGradient, CheckSeesAWrongDerivative) {
  const Matrix x = random_matrix(12, 3, 1), y = random_matrix(12, 2, 2);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(1));
  EXPECT_TRUE(check_gradient(engine, {2.0, 0.1}, 0.1).agrees());
  // A step far too long makes the differences wrong, and the report says where.
  const GradientCheck check = check_gradient(engine, {2.0, 0.1}, 0.1, {.relative_step = 0.099, .tolerance = 1e-9});
  EXPECT_FALSE(check.agrees());
  EXPECT_NE(check.report().find("DIFFERS"), std::string::npos);
  EXPECT_THROW(check_gradient(engine, {2.0, 0.1}, 0.1, {.relative_step = 0.0}), Error);
}

// An input of zeros has no variance without bias: its derivatives must be 0, not 0/0.
TEST(EvidenceGradient, ZeroInputsAndRepeatedInputsAreSafe) {
  Matrix x = random_matrix(10, 3, 4);
  x.row(4).setZero();
  x.row(7) = x.row(2);
  x.row(8) = -x.row(2);
  const Matrix y = random_matrix(10, 1, 5);
  for (const Index depth : {1, 3}) {
    EvidenceEngine engine(x, y, NetworkSpec::uniform(depth));
    const EvidenceGradient slope = engine.evaluate_with_gradient({2.0, 0.0}, 0.1);
    const auto at = [&](double w, double n) { return engine.evaluate({w, 0.0}, n).log_marginal_likelihood; };
    EXPECT_NEAR(slope.by_weight_variance, (at(2.0 + 1e-5, 0.1) - at(2.0 - 1e-5, 0.1)) / 2e-5, 1e-6);
    EXPECT_NEAR(slope.by_noise_variance, (at(2.0, 0.1 + 1e-6) - at(2.0, 0.1 - 1e-6)) / 2e-6, 1e-5);
    EXPECT_TRUE(std::isfinite(slope.by_bias_variance));
  }
}

TEST(EvidenceGradient, GramHeldAndRecomputedAgree) {
  // More columns than are recomputed at a time.
  const Matrix x = random_matrix(401, 6, 1), y = random_matrix(401, 2, 2);
  EvidenceEngine held(x, y, NetworkSpec::uniform(2), {.gram = GramStorage::held});
  EvidenceEngine recomputed(x, y, NetworkSpec::uniform(2), {.gram = GramStorage::recomputed});
  const EvidenceGradient a = held.evaluate_with_gradient({1.7, 0.3}, 0.01);
  const EvidenceGradient b = recomputed.evaluate_with_gradient({1.7, 0.3}, 0.01);
  EXPECT_TRUE(oracle::close(a.by_weight_variance, b.by_weight_variance, 1e-9));
  EXPECT_TRUE(oracle::close(a.by_bias_variance, b.by_bias_variance, 1e-9));
  EXPECT_TRUE(oracle::close(a.by_noise_variance, b.by_noise_variance, 1e-9));
}

TEST(EvidenceGradient, HeldFactorGivesTheSameBytes) {
  const Matrix x = random_matrix(50, 4, 1), y = random_matrix(50, 2, 2);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(1));
  const EvidenceGradient fresh = engine.evaluate_with_gradient({1.5, 0.2}, 0.01);
  const Evidence plain = engine.evaluate({1.5, 0.2}, 0.01);
  const EvidenceGradient reused = engine.evaluate_with_gradient({1.5, 0.2}, 0.01);  // from the factor just made
  const EvidenceGradient again = engine.evaluate_with_gradient({1.5, 0.2}, 0.01);   // that factor is used up
  EXPECT_EQ(plain.log_marginal_likelihood, fresh.evidence.log_marginal_likelihood);
  EXPECT_EQ(reused.by_weight_variance, fresh.by_weight_variance);
  EXPECT_EQ(again.by_weight_variance, fresh.by_weight_variance);
  EXPECT_EQ(again.evidence.leave_one_out, fresh.evidence.leave_one_out);
}

TEST(EvidenceGradient, FailureIsAStatus) {
  Matrix x = random_matrix(6, 3, 4);
  x.row(4).setZero();
  const Matrix y = random_matrix(6, 1, 5);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(1), {.largest_relative_jitter = 0.0});
  const EvidenceGradient slope = engine.evaluate_with_gradient({2.0, 0.0}, 0.0);
  EXPECT_FALSE(slope.ok());
  EXPECT_TRUE(std::isnan(slope.by_weight_variance));
}

// Against the definition: each sample predicted by a process that has not seen it.
TEST(LeaveOneOut, EqualsLeavingEachSampleOut) {
  const Matrix x = random_matrix(9, 3, 1), y = random_matrix(9, 2, 2);
  const NetworkSpec network = NetworkSpec::uniform(2);
  const LayerPrior prior{1.4, 0.3};
  const Eigen::MatrixXd a = covariance(network, prior, x) + 0.05 * Matrix::Identity(9, 9);
  double expected = 0.0;
  for (Index left = 0; left < 9; ++left) {
    std::vector<Index> rest;
    for (Index i = 0; i < 9; ++i)
      if (i != left) rest.push_back(i);
    const Eigen::MatrixXd inner = a(rest, rest).inverse();
    const Eigen::VectorXd cross = a(rest, std::vector<Index>{left});
    const double variance = a(left, left) - cross.dot(inner * cross);
    for (Index c = 0; c < 2; ++c) {
      const Eigen::VectorXd others = Eigen::VectorXd(y.col(c))(rest);
      const double miss = y(left, c) - cross.dot(inner * others);
      expected += -0.5 * (std::log(2 * std::numbers::pi * variance) + miss * miss / variance);
    }
  }
  EvidenceEngine engine(x, y, network);
  EXPECT_NEAR(engine.evaluate_with_leave_one_out(prior, 0.05).leave_one_out, expected, 1e-8);
  EXPECT_TRUE(std::isnan(engine.evaluate(prior, 0.05).leave_one_out));
}

}  // namespace
}  // namespace priorfit

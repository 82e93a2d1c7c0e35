// The tabulated covariances against quadratures that share nothing with the tables: the bound of docs/math.md over more
// than 10⁵ random (a, b, c), and functions of the user's own.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "helpers.hpp"
#include "kernel/layers.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/error.hpp"
#include "priorfit/kernel.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

double density(double z) { return std::exp(-0.5 * z * z) * 0.3989422804014326779; }
double distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// E[φ(m + s z)] for ELU with both slopes: the exponential half completes its square.
double elu_mean(double scale, double alpha, double m, double s) {
  if (s == 0) return scale * (m > 0 ? m : alpha * std::expm1(m));
  const double z = m / s;
  const double up = m * distribution(z) + s * density(z);
  const double down = std::exp(m + 0.5 * s * s) * distribution(-z - s) - distribution(-z);
  return scale * (up + alpha * down);
}

/// E[f(z)], z ~ N(0, 1), by the trapezoid rule, which converges as fast as Gaussian quadrature here: for φ(m + s z) and
/// its product with another its error is about exp(d²/2s² − 2πd/(s h)), where ±id is φ's pole next to 0 (iπ/2 for tanh,
/// iπ for the others), and exp(−2π²/h²) for the density: below 1e-12.
struct Trapezoid {
  double step;
  std::vector<double> weights = {density(0) * step};  // at 0, ±step, ±2 step …

  Trapezoid(const Activation& activation, double s)
      : step(std::min(0.5, (activation.kind() == Activation::Kind::tanh ? 0.3 : 0.6) / s)) {
    for (double z = step; z < 7.5; z += step) weights.push_back(density(z) * step);
  }
  template <typename F>
  double operator()(const F& f) const {
    double sum = weights[0] * f(0.0);
    for (std::size_t k = 1; k < weights.size(); ++k) {
      const double z = static_cast<double>(k) * step;
      sum += weights[k] * (f(z) + f(-z));
    }
    return sum;
  }
};

/// E[φ(u)φ(v)] as an integral over u of φ(u) E[φ(v) | u].
double reference(const Activation& activation, double a, double b, double c) {
  if (a < b) std::swap(a, b);  // the narrower of the two inside: fewer points
  const double deviation = std::sqrt(a), rest = std::sqrt(std::max(0.0, b - c * c / a));
  const bool kinked = activation.kind() == Activation::Kind::elu || activation.kind() == Activation::Kind::selu;
  if (!kinked) {
    const Trapezoid outer(activation, deviation), inner(activation, rest);
    return outer([&](double z) {
      const double mean = c / deviation * z;
      return activation(deviation * z) * inner([&](double t) { return activation(mean + rest * t); });
    });
  }
  const auto integrand = [&](double z) {
    const double scale = activation.kind() == Activation::Kind::elu ? 1.0 : 1.0507009873554804934;
    const double alpha = activation.kind() == Activation::Kind::elu ? 1.0 : 1.6732632423543772848;
    return density(z) * activation(deviation * z) * elu_mean(scale, alpha, c / deviation * z, rest);
  };
  // Either side of the kink by the double exponential rule on (0, 8.5).
  double sum = 0;
  constexpr double h = 0.06;
  for (double t = -3.4; t < 3.4; t += h) {
    const double e = std::exp(std::numbers::pi * std::sinh(t)), z = 8.5 * e / (1 + e);
    const double weight = 8.5 * std::numbers::pi * std::cosh(t) * e / ((1 + e) * (1 + e));
    sum += weight * (integrand(z) + integrand(-z));
  }
  return sum * h;
}

class Sweep : public testing::TestWithParam<std::string> {};

// Through the same pass as the evidence: one hidden layer on inputs in the plane, so that x·y/2 is any c.
TEST_P(Sweep, ErrorStaysWithinTheBound) {
  const Activation activation = Activation::parse(GetParam());
  const Index rows = 140, columns = 125;  // 17500 pairs for each of six activations
  const auto inputs = [](Index count, std::uint64_t seed) {
    Matrix x(count, 2), uniform(count, 2);
    RandomStream(seed, RandomUse::simulation).fill_normal(std::span<double>(uniform.data(), uniform.size()));
    for (Index i = 0; i < count; ++i) {
      // Variances from 1e-4 to 1000; some inputs lie next to each other or to the other's opposite.
      const double norm = std::sqrt(2 * std::pow(10.0, -4 + 7 * distribution(uniform(i, 0))));
      const double angle = i % 5 == 0 ? 1e-3 * uniform(i, 1) + (i % 2) * std::numbers::pi
                                      : 2 * std::numbers::pi * distribution(uniform(i, 1));
      x.row(i) << norm * std::cos(angle), norm * std::sin(angle);
    }
    return x;
  };
  const Matrix x = inputs(rows, 1), y = inputs(columns, 2);
  const Matrix computed = cross_covariance(NetworkSpec::uniform(1, 1, activation), {1.0, 0.0}, x, y);
  const DiagonalDual diagonal(activation);
  double worst = 0, worst_relative = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : worst, worst_relative)
  for (Index i = 0; i < rows; ++i) {
    const double a = x.row(i).squaredNorm() / 2, norm = std::sqrt(diagonal(a).value);
    for (Index j = 0; j < columns; ++j) {
      const double b = y.row(j).squaredNorm() / 2, c = x.row(i).dot(y.row(j)) / 2;
      const double exact = reference(activation, a, b, c), error = std::abs(computed(i, j) - exact);
      const double scale = norm * std::sqrt(diagonal(b).value);
      worst = std::max(worst, error / scale);
      // Where E crosses 0 no relative figure means anything.
      if (std::abs(exact) > 0.01 * scale) worst_relative = std::max(worst_relative, error / std::abs(exact));
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e12) + "e-12");
  RecordProperty("worst_relative", std::to_string(worst_relative * 1e12) + "e-12");
  EXPECT_LE(worst, 2e-9);
  EXPECT_LE(worst_relative, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Known, Sweep, testing::Values("tanh", "sigmoid", "silu", "elu", "selu", "softplus"),
                         [](const auto& info) { return info.param; });

// A kink in one factor makes E vary on the scale of the other's, larger variance.
TEST(TableDual, KinksBesideLargeVariancesKeepTheBound) {
  for (const char* name : {"elu", "selu"}) {
    const Activation activation = Activation::parse(name);
    const DiagonalDual diagonal(activation);
    const double a = 0.11, b = 600.0, scale = std::sqrt(diagonal(a).value * diagonal(b).value);
    for (const double correlation : {-0.9999, -0.98, -0.5, 0.1, 0.7, 0.99, 0.999, 0.9999}) {
      const double c = correlation * std::sqrt(a * b);
      EXPECT_NEAR(dual(activation, a, b, c).value, reference(activation, a, b, c), 2e-9 * scale) << name << correlation;
    }
  }
}

// Odd activations keep their digits where the covariance is small.
TEST(TableDual, SmallCovarianceOfAnOddActivationKeepsItsDigits) {
  const Activation tanh = Activation::parse("tanh");
  const double slope = dual(tanh, 0.8, 1.3, 0.0).derivative;
  for (const double c : {1e-3, 1e-9, 1e-15, -1e-12}) {
    EXPECT_TRUE(oracle::close(dual(tanh, 0.8, 1.3, c).value / c, slope, 1e-8, c * c)) << c;
  }
}

// E[u³v³] = 9abc + 6c³
TEST(CustomActivation, CubeHasItsMoments) {
  const Activation cube = Activation::custom("cube", [](double x) { return x * x * x; });
  for (const double c : {-0.9, -0.2, 0.4, 1.0}) {
    const Dual result = dual(cube, 0.7, 1.9, c);
    EXPECT_TRUE(oracle::close(result.value, 9 * 0.7 * 1.9 * c + 6 * c * c * c, 1e-8));
    EXPECT_TRUE(oracle::close(result.derivative, 9 * 0.7 * 1.9 + 18 * c * c, 1e-7));
  }
}

TEST(CustomActivation, ThatThrowsIsHeard) {
  const Activation broken = Activation::custom("broken", [](double x) {
    if (omp_get_level() > 0) throw std::range_error("no value");  // inside of a parallel loop only
    return std::atan(x);
  });
  const Matrix inputs = test::random_matrix(20, 3, 1);
  EXPECT_THROW(covariance(NetworkSpec::uniform(1, 1, broken), {2.0, 0.1}, inputs), std::range_error);
}

TEST(CustomActivation, EqualsTheKnownOneItCopies) {
  const Activation mine = Activation::custom("mine", [](double x) { return std::erf(x); });
  const Activation kinked = Activation::custom("kinked", [](double x) { return x > 0 ? x : 0.2 * x; });
  for (const double c : {-0.95, -0.3, 0.1, 0.99}) {
    EXPECT_TRUE(
        oracle::close(dual(mine, 1.1, 0.95, c).value, dual(Activation::parse("erf"), 1.1, 0.95, c).value, 1e-8));
    EXPECT_TRUE(oracle::close(dual(kinked, 1.1, 0.95, c).value,
                              dual(Activation::parse("leaky_relu:0.2"), 1.1, 0.95, c).value, 1e-8));
    EXPECT_TRUE(oracle::close(dual(kinked, 1.1, 0.95, c).derivative,
                              dual(Activation::parse("leaky_relu:0.2"), 1.1, 0.95, c).derivative, 1e-6));
  }
}

TEST(CustomActivation, OneThatVariesTooFastIsRefused) {
  const Activation ripple = Activation::custom("ripple", [](double x) { return std::sin(40 * x); });
  try {
    dual(ripple, 1.0, 1.0, 0.5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(error.what()).find("'ripple'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace priorfit

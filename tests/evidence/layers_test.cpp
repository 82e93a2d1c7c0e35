// Evidence of networks whose layers have variances of their own.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "helpers.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::random_matrix;

const Matrix inputs = random_matrix(30, 4, 1), targets = random_matrix(30, 2, 2);

/// K_L by the recursion itself, entry by entry.
Matrix dense(const NetworkSpec& network, const std::vector<LayerPrior>& layers) {
  Matrix k = layers[0].weight_variance / 4 * inputs * inputs.transpose();
  k.array() += layers[0].bias_variance;
  for (std::size_t l = 1; l < layers.size(); ++l) {
    const Matrix before = k;
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < 30; ++j) {
        k(i, j) = layers[l].bias_variance +
                  layers[l].weight_variance * dual(network.activation, before(i, i), before(j, j), before(i, j)).value;
      }
    }
  }
  return k;
}

double dense_evidence(const Matrix& k, double noise) {
  const Eigen::LLT<Eigen::MatrixXd> factor(k + noise * Matrix::Identity(30, 30));
  const Eigen::MatrixXd lower = factor.matrixL();
  return -0.5 * (targets.cwiseProduct(Matrix(factor.solve(Eigen::MatrixXd(targets)))).sum() +
                 2 * 2 * lower.diagonal().array().log().sum() + 60 * std::log(2 * std::numbers::pi));
}

TEST(Layers, EachHasItsOwnVariances) {
  for (const char* name : {"relu", "gelu", "tanh"}) {
    const NetworkSpec network{{20, 10}, Activation::parse(name)};
    EvidenceEngine engine(inputs, targets, network);
    for (const InitialScheme scheme : {InitialScheme::pytorch, InitialScheme::keras}) {
      const auto layers = Initialisation::named(scheme, network, 4, 2).layers;
      const double expected = dense_evidence(dense(network, layers), 0.05);
      EXPECT_NEAR(engine.evaluate(layers, 0.05).log_marginal_likelihood, expected, 1e-7 * std::abs(expected)) << name;
      EXPECT_NEAR(engine.profile(layers).at_scale(1.0, 0.05).log_marginal_likelihood, expected,
                  1e-6 * std::abs(expected))
          << name;
    }
  }
}

TEST(Layers, ThereMustBeOneForEach) {
  EvidenceEngine engine(inputs, targets, NetworkSpec::uniform(2, 10));
  expect_error(
      ErrorKind::usage, [&] { engine.evaluate(std::vector<LayerPrior>(2), 0.1); }, "priors has 2 entries", "3 layers");
}

}  // namespace
}  // namespace priorfit

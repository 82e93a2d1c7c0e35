// Derivatives of the evidence in the variances of every layer.
#include <gtest/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "linalg/threads.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

const Matrix inputs = random_matrix(24, 5, 1), targets = random_matrix(24, 2, 2);

/// Different in every layer, without biases in those of an odd number if asked for.
std::vector<LayerPrior> unequal_layers(Index depth, bool some_without_bias = false) {
  std::vector<LayerPrior> layers;
  for (Index l = 0; l <= depth; ++l) {
    const double bias = some_without_bias && l % 2 == 1 ? 0.0 : 0.1 + 0.05 * static_cast<double>(l % 4);
    layers.push_back({0.9 + 0.3 * static_cast<double>(l % 3), bias});
  }
  return layers;
}

void expect_agreement(const Matrix& x, const NetworkSpec& network, const std::vector<LayerPrior>& layers,
                      double tolerance, double relative_step = 1e-3) {
  EvidenceEngine engine(x, targets, network);
  const GradientCheck check = check_gradient(engine, layers, 0.05, {relative_step, tolerance});
  ASSERT_EQ(check.entries.size(), 2 * layers.size() + 1);
  EXPECT_TRUE(check.agrees()) << network.activation.name() << ", depth " << network.depth() << "\n" << check.report();
}

std::vector<std::string> every_activation() {
  std::vector<std::string> names = Activation::names();
  names.insert(names.end(), {"leaky_relu:0.3", "leaky_relu:-0.5", "leaky_relu:1.7"});
  return names;
}

class LayerGradientOf : public testing::TestWithParam<std::string> {
 protected:
  NetworkSpec network(Index depth) const { return NetworkSpec::uniform(depth, 1, Activation::parse(GetParam())); }
};

TEST_P(LayerGradientOf, AgreesWithDifferences) {
  for (const Index depth : {1, 3, 10}) expect_agreement(inputs, network(depth), unequal_layers(depth), 2e-6);
}

TEST_P(LayerGradientOf, AgreesWithDifferencesWhereABiasIsZero) {
  expect_agreement(inputs, network(3), unequal_layers(3, true), 1e-5);
}

TEST_P(LayerGradientOf, AgreesWithDifferencesAtZeroAndParallelInputs) {
  Matrix x = inputs;
  x.row(3).setZero();
  x.row(5) = 2 * x.row(4);
  x.row(6) = -x.row(4);
  x.row(7) = x.row(4);
  for (const Index depth : {1, 3}) expect_agreement(x, network(depth), unequal_layers(depth), 1e-5);
}

// All variances moved by the same factor: the derivative along it is the sum over layers.
TEST_P(LayerGradientOf, SumsAreTheDerivativesOfAllLayersTogether) {
  EvidenceEngine engine(inputs, targets, network(3));
  const EvidenceGradient tied = engine.evaluate_with_gradient(LayerPrior{1.3, 0.2}, 0.05);
  const EvidenceGradient layers = engine.evaluate_with_gradient(std::vector<LayerPrior>(4, {1.3, 0.2}), 0.05);
  const GradientCheck check = check_gradient(engine, LayerPrior{1.3, 0.2}, 0.05);
  EXPECT_TRUE(check.agrees()) << check.report();
  ASSERT_EQ(layers.layers.size(), 4u);
  double weight = 0.0, bias = 0.0;
  for (const LayerSlopes& layer : layers.layers) {
    weight += layer.by_weight_variance;
    bias += layer.by_bias_variance;
  }
  EXPECT_TRUE(oracle::close(tied.by_weight_variance, weight, 1e-12));
  EXPECT_TRUE(oracle::close(tied.by_bias_variance, bias, 1e-12));
  EXPECT_TRUE(oracle::close(layers.by_weight_variance, weight, 1e-12));
}

INSTANTIATE_TEST_SUITE_P(EveryActivation, LayerGradientOf, testing::ValuesIn(every_activation()), [](const auto& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : c == '-' ? 'm' : '_';
  return name;
});

// Without any bias an input of zeros has no variance; smooth activations still have derivatives in the biases there.
TEST(LayerGradient, SmoothActivationsHaveBiasDerivativesAtAZeroInput) {
  Matrix x = inputs;
  x.row(3).setZero();
  for (const char* name : {"erf", "gelu", "sin", "cos", "tanh", "sigmoid", "silu", "softplus"}) {
    for (const Index depth : {1, 2}) {
      const std::vector<LayerPrior> layers(static_cast<std::size_t>(depth + 1), {1.2, 0.0});
      // Tables give derivatives at a variance of 0 less exactly.
      expect_agreement(x, NetworkSpec::uniform(depth, 1, Activation::parse(name)), layers, 1e-4, 2e-5);
    }
  }
}

TEST(LayerGradient, FollowsFromTheGramMatrixHeldOrNot) {
  const Matrix x = random_matrix(401, 6, 1), y = random_matrix(401, 2, 2);  // more columns than are made at a time
  for (const char* name : {"relu", "tanh"}) {
    const NetworkSpec network = NetworkSpec::uniform(2, 1, Activation::parse(name));
    EvidenceEngine held(x, y, network, {.gram = GramStorage::held});
    EvidenceEngine recomputed(x, y, network, {.gram = GramStorage::recomputed});
    const EvidenceGradient a = held.evaluate_with_gradient(unequal_layers(2), 0.01);
    const EvidenceGradient b = recomputed.evaluate_with_gradient(unequal_layers(2), 0.01);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_TRUE(oracle::close(a.layers[l].by_weight_variance, b.layers[l].by_weight_variance, 1e-9)) << name;
      EXPECT_TRUE(oracle::close(a.layers[l].by_bias_variance, b.layers[l].by_bias_variance, 1e-9)) << name;
    }
  }
}

TEST(LayerGradient, DoesNotDependOnTheNumberOfThreads) {
  const Matrix x = random_matrix(150, 4, 1), y = random_matrix(150, 1, 2);
  for (const char* name : {"relu", "silu"}) {
    const NetworkSpec network = NetworkSpec::uniform(3, 1, Activation::parse(name));
    const auto with = [&](int threads) {
      const ThreadScope scope(threads);
      EvidenceEngine engine(x, y, network);
      return engine.evaluate_with_gradient(unequal_layers(3), 0.1);
    };
    const EvidenceGradient one = with(1), three = with(3);
    for (std::size_t l = 0; l < 4; ++l) {
      EXPECT_EQ(one.layers[l].by_weight_variance, three.layers[l].by_weight_variance) << name;
      EXPECT_EQ(one.layers[l].by_bias_variance, three.layers[l].by_bias_variance) << name;
    }
  }
}

TEST(LayerGradient, AFailureHasNoLayers) {
  Matrix x = inputs;
  x.row(1).setZero();
  EvidenceEngine singular(x, targets, NetworkSpec::uniform(1), {.largest_relative_jitter = 0.0});
  const EvidenceGradient slope = singular.evaluate_with_gradient(std::vector<LayerPrior>(2, {2.0, 0.0}), 0.0);
  EXPECT_FALSE(slope.ok());
  EXPECT_TRUE(slope.layers.empty());
}

}  // namespace
}  // namespace priorfit

// The tangent kernel against the gradients of wide finite networks, and what goes with it.
#include "kernel/tangent.hpp"

#include <gtest/gtest.h>

#include "helpers.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

/// A random network with parameters of its own, in double precision.
class FiniteNetwork {
 public:
  FiniteNetwork(const NetworkSpec& network, const std::vector<LayerPrior>& layers, Index features, std::uint64_t seed)
      : activation_(network.activation) {
    Index fan_in = features;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const Index units = l + 1 < layers.size() ? network.hidden_widths[l] : 1;
      weights_.push_back(std::sqrt(layers[l].weight_variance / double(fan_in)) *
                         random_matrix(units, fan_in, 1000 * seed + 2 * l));
      biases_.push_back(std::sqrt(layers[l].bias_variance) * random_matrix(units, 1, 1000 * seed + 2 * l + 1));
      fan_in = units;
    }
  }

  struct Trace {
    std::vector<Eigen::VectorXd> inputs;     // of each layer
    std::vector<Eigen::VectorXd> gradients;  // of the output by each layer's preactivation
  };

  Trace trace(const Eigen::VectorXd& x) const {
    Trace t;
    std::vector<Eigen::VectorXd> before;
    Eigen::VectorXd h = x;
    for (std::size_t l = 0; l < weights_.size(); ++l) {
      t.inputs.push_back(h);
      before.push_back(weights_[l] * h + biases_[l].col(0));
      h = before.back().unaryExpr([&](double z) { return activation_(z); });
    }
    t.gradients.resize(weights_.size());
    t.gradients.back() = Eigen::VectorXd::Ones(1);
    for (std::size_t l = weights_.size() - 1; l > 0; --l) {
      const Eigen::VectorXd slopes = before[l - 1].unaryExpr([&](double z) {  // by differences of φ itself
        constexpr double step = 1e-5;
        return (activation_(z + step) - activation_(z - step)) / (2 * step);
      });
      t.gradients[l - 1] = (weights_[l].transpose() * t.gradients[l]).cwiseProduct(slopes);
    }
    return t;
  }

 private:
  Activation activation_;
  std::vector<Matrix> weights_, biases_;
};

/// Inner products of gradients by all parameters, averaged over networks.
Matrix sampled_tangent(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const Matrix& inputs,
                       int draws) {
  Matrix sum = Matrix::Zero(inputs.rows(), inputs.rows());
  for (int k = 0; k < draws; ++k) {
    const FiniteNetwork finite(network, layers, inputs.cols(), std::uint64_t(k + 1));
    std::vector<FiniteNetwork::Trace> traces;
    for (Index i = 0; i < inputs.rows(); ++i) traces.push_back(finite.trace(inputs.row(i).transpose()));
    for (Index i = 0; i < inputs.rows(); ++i) {
      for (Index j = 0; j < inputs.rows(); ++j) {
        for (std::size_t l = 0; l < layers.size(); ++l) {
          sum(i, j) +=
              (traces[i].inputs[l].dot(traces[j].inputs[l]) + 1) * traces[i].gradients[l].dot(traces[j].gradients[l]);
        }
      }
    }
  }
  return sum / draws;
}

class TangentOfActivation : public ::testing::TestWithParam<std::string> {};

TEST_P(TangentOfActivation, IsWhatWideNetworksHave) {
  const Matrix inputs = random_matrix(3, 4, 1);
  for (const Index depth : {1, 3}) {
    const NetworkSpec network = NetworkSpec::uniform(depth, depth == 1 ? 3000 : 400, Activation::parse(GetParam()));
    const std::vector<LayerPrior> layers = layer_priors(LayerPrior{1.4, 0.3}, network);
    const Matrix theta = tangent_kernel(network, layers, inputs);
    const Matrix sampled = sampled_tangent(network, layers, inputs, 24);
    // Networks of such width scatter by some percent around the limit, and deep ones are off by depth / width.
    EXPECT_LT((theta - sampled).norm() / theta.norm(), depth == 1 ? 0.02 : 0.06) << GetParam() << " depth " << depth;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TangentOfActivation, ::testing::ValuesIn(Activation::names()),
                         [](const auto& info) { return info.param; });

TEST(Tangent, LayersMayDiffer) {
  const Matrix inputs = random_matrix(3, 5, 2);
  const NetworkSpec network{{800, 300}, Activation::parse("erf")};
  for (const InitialScheme scheme : {InitialScheme::pytorch, InitialScheme::keras}) {
    const std::vector<LayerPrior> layers = Initialisation::named(scheme, network, inputs.cols(), 1).layers;
    const Matrix theta = tangent_kernel(network, layers, inputs);
    EXPECT_LT((theta - sampled_tangent(network, layers, inputs, 30)).norm() / theta.norm(), 0.04);
  }
  const std::vector<LayerPrior> untied = Initialisation::with_output(network, {1.5, 0.2}, 0.01).layers;
  const Matrix theta = tangent_kernel(network, untied, inputs);
  EXPECT_LT((theta - sampled_tangent(network, untied, inputs, 30)).norm() / theta.norm(), 0.04);
}

TEST(Tangent, FollowsItsRecursion) {
  // Few units, so that the biases' own gradients count beside the weights'.
  const Matrix inputs = random_matrix(9, 3, 6);
  const std::vector<LayerPrior> layers = {{1.3, 0.4}, {0.7, 0.2}, {2.1, 0.6}};
  for (const char* name : {"relu", "leaky_relu", "erf", "gelu", "sin", "cos", "tanh", "silu"}) {
    const NetworkSpec network{{2, 3}, Activation::parse(name)};
    Matrix k = layers[0].weight_variance / 3 * inputs * inputs.transpose(), theta = inputs * inputs.transpose();
    k.array() += layers[0].bias_variance;
    theta.array() += 1;
    for (std::size_t l = 1; l < layers.size(); ++l) {
      const Matrix before = k;
      for (Index i = 0; i < 9; ++i) {
        for (Index j = 0; j < 9; ++j) {
          const Dual e = dual(network.activation, before(i, i), before(j, j), before(i, j));
          theta(i, j) = theta(i, j) * layers[l].weight_variance * e.derivative +
                        static_cast<double>(network.hidden_widths[l - 1]) * e.value + 1;
          k(i, j) = layers[l].bias_variance + layers[l].weight_variance * e.value;
        }
      }
    }
    EXPECT_LT((tangent_kernel(network, layers, inputs) - theta).norm(), 1e-7 * theta.norm()) << name;
  }
}

TEST(Tangent, ItsPassMakesTheSameCovariance) {
  const Matrix inputs = random_matrix(37, 6, 3);
  for (const char* name : {"relu", "leaky_relu", "erf", "gelu", "sin", "tanh"}) {
    const NetworkSpec network = NetworkSpec::uniform(3, 50, Activation::parse(name));
    const LayerPrior prior{1.2, 0.1};
    PackedSymmetric gram(inputs.rows()), tangent(inputs.rows());
    packed_gram(inputs, gram);
    const LayerPriors priors(network, prior);
    const LayerVariances variances(network, priors, inputs.cols(), gram_diagonal(gram));
    packed_tangent(TangentPass(network, priors, gradient_descent_rates(network), inputs.cols(), variances), gram, gram,
                   tangent);
    const Matrix expected = covariance(network, prior, inputs);
    for (Index i = 0; i < inputs.rows(); ++i) {
      for (Index j = 0; j <= i; ++j) EXPECT_NEAR(gram(i, j), expected(i, j), 1e-14 * expected(i, i)) << name;
    }
  }
}

TEST(Tangent, DiagonalContinuesTheRest) {
  // Next to the diagonal lies an input that is almost the same.
  Matrix inputs = random_matrix(4, 6, 4);
  inputs.row(1) = inputs.row(0) * (1 + 1e-13);
  for (const std::string& name : Activation::names()) {
    const NetworkSpec network = NetworkSpec::uniform(2, 30, Activation::parse(name));
    const Matrix theta = tangent_kernel(network, LayerPrior{1.3, 0.2}, inputs);
    EXPECT_NEAR(theta(0, 0), theta(1, 0), 1e-5 * theta(0, 0)) << name;  // φ′ of a kink converges as the angle
  }
}

TEST(AdamRates, MakeEveryTensorMoveAlike) {
  // With each part divided by the root mean square of its gradients, its mean diagonal is that root times the number of
  // parameters: √(parts' mean · parameters).
  const Matrix inputs = random_matrix(20, 6, 5);
  const NetworkSpec network{{40, 30}, Activation::parse("relu")};
  const LayerPriors priors(network, {1.7, 0.1});
  const Vector norms = inputs.rowwise().squaredNorm();
  const LayerVariances variances(network, priors, inputs.cols(), norms);
  const LayerRates plain = gradient_descent_rates(network), adam = adam_rates(network, priors, 6, variances, norms);
  const double parameters[] = {6 * 40, 40 * 30, 30}, biases[] = {40, 30, 1};
  for (std::size_t l = 0; l < 3; ++l) {
    LayerRates only{{0, 0, 0}, {0, 0, 0}};
    only.weights[l] = plain.weights[l];
    const double part = TangentPass(network, priors, only, 6, variances).diagonal(norms).mean();
    EXPECT_NEAR(adam.weights[l] / plain.weights[l], std::sqrt(parameters[l] / part), 1e-10 * adam.weights[l]) << l;
    only.weights[l] = 0;
    only.biases[l] = 1;
    const double bias_part = TangentPass(network, priors, only, 6, variances).diagonal(norms).mean();
    EXPECT_NEAR(adam.biases[l], std::sqrt(biases[l] / bias_part), 1e-10 * adam.biases[l]) << l;
  }
}

}  // namespace
}  // namespace priorfit

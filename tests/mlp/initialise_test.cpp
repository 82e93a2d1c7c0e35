// The distribution of initial parameters: moments, tails, schemes, and what each draw depends on.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "helpers.hpp"
#include "linalg/threads.hpp"
#include "mlp/every_activation.hpp"
#include "priorfit/error.hpp"
#include "priorfit/mlp.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::usage_error;

struct Moments {
  double mean, variance, skewness, kurtosis;
};

Moments moments(const float* values, Index count) {
  const Eigen::ArrayXd x = Eigen::Map<const Eigen::ArrayXf>(values, count).cast<double>();
  const Eigen::ArrayXd centred = x - x.mean();
  const double variance = centred.square().mean();
  return {x.mean(), variance, centred.cube().mean() / std::pow(variance, 1.5),
          centred.square().square().mean() / (variance * variance)};
}

// Standard errors of a normal sample: mean σ/√n, variance σ²√(2/n), skewness √(6/n), kurtosis √(24/n).
void expect_normal(const float* values, Index count, double variance) {
  const auto n = static_cast<double>(count);
  const Moments m = moments(values, count);
  EXPECT_NEAR(m.mean, 0.0, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(m.variance, variance, 5 * variance * std::sqrt(2 / n));
  EXPECT_NEAR(m.skewness, 0.0, 5 * std::sqrt(6 / n));
  EXPECT_NEAR(m.kurtosis, 3.0, 5 * std::sqrt(24 / n));
}

double share_beyond(const float* values, Index count, double limit) {
  return (Eigen::Map<const Eigen::ArrayXf>(values, count).abs().cast<double>() > limit).cast<double>().mean();
}

TEST(Initialise, WeightsAndBiasesHaveThePriorsMoments) {
  const Mlp network = initialise({{1000, 900}, {}}, 300, 200, LayerPrior{2.8, 0.5}, 7);
  for (const DenseLayer& layer : network.layers) {
    expect_normal(layer.weights.data(), layer.weights.size(), 2.8 / static_cast<double>(layer.inputs()));
    expect_normal(layer.bias.data(), layer.bias.size(), 0.5);
  }
}

TEST(Initialise, TailsAreNormal) {
  const Mlp network = initialise({{2000}, {}}, 1000, 1, LayerPrior{1.0, 0.0}, 3);
  const DenseLayer& layer = network.layers[0];
  for (const double sigmas : {1.0, 2.0, 3.0, 4.0}) {
    const double expected = std::erfc(sigmas / std::sqrt(2.0));
    const double share = share_beyond(layer.weights.data(), layer.weights.size(), sigmas / std::sqrt(1000.0));
    EXPECT_NEAR(share, expected, 5 * std::sqrt(expected / 2e6)) << sigmas << " sigmas";
  }
}

TEST(Initialise, ZeroBiasVarianceGivesZeroBiases) {
  const Mlp network = initialise({{50}, {}}, 10, 5, LayerPrior{2.0, 0.0}, 1);
  for (const DenseLayer& layer : network.layers) EXPECT_EQ(layer.bias.cwiseAbs().maxCoeff(), 0.0F);
}

TEST(Initialise, SchemesHaveTheirVariancePerLayer) {
  const NetworkSpec spec{{600, 400}, {}};
  const std::vector<Index> sizes = {500, 600, 400, 300};
  const auto variance = [&](InitialScheme scheme, std::size_t l) {
    const Mlp network = initialise(spec, 500, 300, Initialisation::named(scheme, spec, 500, 300), 5);
    EXPECT_EQ(network.layers[l].bias.cwiseAbs().maxCoeff(), 0.0F);
    return moments(network.layers[l].weights.data(), network.layers[l].weights.size()).variance;
  };
  for (std::size_t l = 0; l < 3; ++l) {
    const auto fan_in = static_cast<double>(sizes[l]);
    const auto fan_out = static_cast<double>(sizes[l + 1]);
    const double tolerance = 5 * std::sqrt(2 / (fan_in * fan_out));  // relative
    EXPECT_NEAR(variance(InitialScheme::he, l) * fan_in / 2, 1.0, tolerance);
    EXPECT_NEAR(variance(InitialScheme::lecun, l) * fan_in, 1.0, tolerance);
    EXPECT_NEAR(variance(InitialScheme::glorot, l) * (fan_in + fan_out) / 2, 1.0, tolerance);
  }
}

TEST(Initialise, DrawsDependOnSeedLayerAndIndexAlone) {
  const Mlp base = initialise({{300, 40}, {}}, 70, 10, LayerPrior{2.0, 1.0}, 1);
  const auto draws = [](const Mlp& network, int threads) {
    const ThreadScope scope(threads);
    return initialise(network.spec, network.features(), network.outputs(), LayerPrior{2.0, 1.0}, 1);
  };
  for (const int threads : {1, 2, 5}) {
    const Mlp again = draws(base, threads);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_EQ(again.layers[l].weights, base.layers[l].weights);
      EXPECT_EQ(again.layers[l].bias, base.layers[l].bias);
    }
  }
  // More units, same fan-in: the first rows are the same draws.
  const Mlp wider = initialise({{350, 40}, {}}, 70, 10, LayerPrior{2.0, 1.0}, 1);
  EXPECT_EQ(wider.layers[0].weights.topRows(300), base.layers[0].weights);
  // Four times the variance: the same draws, doubled.
  const Mlp larger = initialise({{300, 40}, {}}, 70, 10, LayerPrior{8.0, 4.0}, 1);
  EXPECT_EQ(larger.layers[1].weights, 2.0F * base.layers[1].weights);
  EXPECT_EQ(larger.layers[1].bias, 2.0F * base.layers[1].bias);
  EXPECT_NE(initialise({{300, 40}, {}}, 70, 10, LayerPrior{2.0, 1.0}, 2).layers[0].weights, base.layers[0].weights);
}

TEST(Initialise, DrawsDoNotDependOnTheActivation) {
  const Mlp relu = initialise({{30, 20}, {}}, 7, 3, LayerPrior{2.0, 1.0}, 1);
  for (const Activation& activation : test::every_activation()) {
    const Mlp other = initialise({{30, 20}, activation}, 7, 3, LayerPrior{2.0, 1.0}, 1);
    EXPECT_EQ(other.spec.activation, activation);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_EQ(other.layers[l].weights, relu.layers[l].weights);
      EXPECT_EQ(other.layers[l].bias, relu.layers[l].bias);
    }
  }
}

TEST(Initialise, LayersAreUncorrelated) {
  const Mlp network = initialise({{200, 200}, {}}, 200, 200, LayerPrior{200.0, 200.0}, 1);
  const auto correlation = [&](std::size_t a, std::size_t b) {
    return network.layers[a].weights.cwiseProduct(network.layers[b].weights).cast<double>().mean();
  };
  EXPECT_NEAR(correlation(0, 1), 0.0, 5 / 200.0);
  EXPECT_NEAR(correlation(1, 2), 0.0, 5 / 200.0);
}

TEST(Initialise, RefusesBadArgumentsByName) {
  EXPECT_EQ(usage_error([] { initialise({{5}, {}}, 0, 1, LayerPrior{}, 1); }), "features is 0: it must be at least 1");
  EXPECT_EQ(usage_error([] { initialise({{5}, {}}, 1, -2, LayerPrior{}, 1); }), "outputs is -2: it must be at least 1");
  EXPECT_NE(usage_error([] {
              initialise({{5}, {}}, 1, 1, LayerPrior{-1.0, 0.0}, 1);
            }).find("weight_variance is -1"),
            std::string::npos);
  EXPECT_NE(usage_error([] {
              initialise({{5}, {}}, 1, 1, std::vector<LayerPrior>(3), 1);
            }).find("priors has 3 entries"),
            std::string::npos);
  EXPECT_EQ(usage_error([] { parse_initial_scheme("glorott"); }),
            "scheme 'glorott' is unknown; did you mean 'glorot'? (known: he, lecun, glorot, keras, pytorch)");
}

TEST(Initialise, RefusesDeviationsThatSinglePrecisionDoesNotHold) {
  const auto message = [](const LayerPrior& prior) {
    return usage_error([&] { initialise({{5}, {}}, 4, 1, prior, 1); });
  };
  EXPECT_EQ(message({1e300, 0.0}),
            "weight_variance is 1e+300: the weights of layer 1 would have a standard deviation of 5e+149, which single "
            "precision does not hold (1.2e-38 to 3.8e+37); choose a smaller value");
  EXPECT_NE(message({1e-300, 0.0}).find("of layer 1 would have a standard deviation of 5e-151"), std::string::npos);
  EXPECT_NE(message({1e-300, 0.0}).find("choose a larger value"), std::string::npos);
  EXPECT_NE(message({1.0, 1e300}).find("bias_variance is 1e+300: the biases of layer 1"), std::string::npos);
  EXPECT_NE(message({1.0, 1e-300}).find("bias_variance is 1e-300: the biases of layer 1"), std::string::npos);
  const NetworkSpec spec{{5}, {}};
  const Initialisation output = Initialisation::with_output(spec, {1.0, 0.0}, 1e300);
  EXPECT_NE(
      usage_error([&] { initialise(spec, 4, 1, output, 1); }).find("weight_variance is 1e+300: the weights of layer 2"),
      std::string::npos);
}

TEST(Initialise, DrawsAtTheEndsOfItsRangeAreFiniteAndNotZero) {
  for (const double deviation : {3.7e37, 1.2e-38}) {
    const double variance = deviation * deviation;
    const std::vector<LayerPrior> priors = {{500 * variance, variance}, LayerPrior{}};
    const Mlp network = initialise({{2000}, {}}, 500, 1, priors, 1);
    for (const float* values : {network.layers[0].weights.data(), network.layers[0].bias.data()}) {
      const auto drawn = Eigen::Map<const Eigen::ArrayXf>(values, 2000);
      EXPECT_TRUE(drawn.isFinite().all());
      EXPECT_NEAR(std::sqrt((drawn.cast<double>() / deviation).square().mean()), 1.0, 0.1);
    }
    EXPECT_TRUE(network.layers[0].weights.array().isFinite().all());
  }
}

// Linear layers multiply the variance by σ_w² each.
TEST(FindExplosion, NamesTheFirstLayerBeyondSinglePrecision) {
  const NetworkSpec linear = NetworkSpec::uniform(30, 1, Activation::parse("identity"));
  Matrix inputs(2, 3);
  inputs << 0, 0, 0, 2, 1, 1;  // ‖x‖²/3 is 1 on average
  const auto found = find_explosion(linear, layer_priors(LayerPrior{100.0, 0.0}, linear), inputs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layer, 20);
  EXPECT_NEAR(found->variance, 1e40, 1e28);
  EXPECT_EQ(find_explosion(linear, Initialisation::with_output(linear, {19.0, 0.0}, 2.0).layers, inputs)->layer, 31);
  EXPECT_FALSE(find_explosion(linear, layer_priors(LayerPrior{17.0, 0.0}, linear), inputs));
}

}  // namespace
}  // namespace priorfit

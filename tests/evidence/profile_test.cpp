// The evidence along a ray, against the evidence itself.
#include "priorfit/profile.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "helpers.hpp"
#include "oracle/oracle.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::random_matrix;

/// Nats per factor of e in all variances together.
double slope_along(const EvidenceGradient& gradient, const std::vector<LayerPrior>& layers) {
  double slope = 0.0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    slope += gradient.layers[l].by_weight_variance * layers[l].weight_variance +
             gradient.layers[l].by_bias_variance * layers[l].bias_variance;
  }
  return slope;
}

RC_GTEST_PROP(Profile, EqualsTheEvidenceAndItsGradient, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 90);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto depth = *rc::gen::inRange<Index>(1, 4);
  const auto activation = *rc::gen::element("relu", "leaky_relu:0.3");
  const Matrix x = random_matrix(rows, 3, seed), y = random_matrix(rows, 2, seed + 1);
  EvidenceEngine engine(x, y, NetworkSpec::uniform(depth, 1, Activation::parse(activation)));
  // Biases before the first and after the last hidden layer only.
  std::vector<LayerPrior> layers(static_cast<std::size_t>(depth + 1), {1.3, 0.0});
  if (*rc::gen::arbitrary<bool>()) layers.front().bias_variance = 0.4;
  if (*rc::gen::arbitrary<bool>()) layers.back() = {0.6, *rc::gen::element(0.0, 0.2)};
  const EvidenceProfile profile = engine.profile(layers);
  RC_ASSERT(profile.scales());
  RC_ASSERT(profile.layers() == layers);
  const double scale = *rc::gen::inRange(2, 30) / 10.0, noise = std::pow(10.0, -*rc::gen::inRange(0, 4));
  const std::vector<LayerPrior> scaled = profile.layers_at(scale);
  RC_ASSERT(scaled.back().weight_variance == layers.back().weight_variance * scale);
  const EvidenceGradient direct = engine.evaluate_with_gradient(scaled, noise);
  const EvidenceProfile::Point point = profile.at_scale(scale, noise);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-7 * (1 + std::abs(b)); };
  RC_ASSERT(near(point.log_marginal_likelihood, direct.evidence.log_marginal_likelihood));
  RC_ASSERT(near(point.by_log_scale, slope_along(direct, scaled)));
  RC_ASSERT(near(point.by_log_noise_variance, direct.by_noise_variance * noise));
}

TEST(Profile, OtherwiseOnlyTheNoiseMayChange) {
  const Matrix x = random_matrix(50, 3, 1), y = random_matrix(50, 2, 2);
  const auto check = [&](const char* activation, const std::vector<LayerPrior>& layers) {
    const auto depth = static_cast<Index>(layers.size()) - 1;
    EvidenceEngine engine(x, y, NetworkSpec::uniform(depth, 1, Activation::parse(activation)));
    const EvidenceProfile profile = engine.profile(layers);
    EXPECT_FALSE(profile.scales());
    EXPECT_TRUE(oracle::close(profile.at_scale(1.0, 0.2).log_marginal_likelihood,
                              engine.evaluate(layers, 0.2).log_marginal_likelihood, 1e-10));
    expect_error(
        ErrorKind::usage, [&] { profile.at_scale(1.1, 0.2); }, "scale is 1.1");
  };
  check("relu", {{1.3, 0.4}, {1.3, 0.4}, {1.3, 0.4}});
  check("erf", {{1.3, 0.0}, {0.7, 0.0}});
}

}  // namespace
}  // namespace priorfit

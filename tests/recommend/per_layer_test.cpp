// A pair for each layer: more evidence where the layers differ, and what cannot be told apart is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <nlohmann/json.hpp>

#include "drawn_data.hpp"

namespace priorfit {
namespace {

using testing::HasSubstr;

PreparedData from_layers(const NetworkSpec& network, const std::vector<LayerPrior>& layers, double noise, Index samples,
                         Index features, Index outputs, std::uint64_t seed) {
  Matrix inputs = drawn::normal(samples, features, 2 * seed);
  const Eigen::MatrixXd a = covariance(network, layers, inputs) + noise * Matrix::Identity(samples, samples);
  const Eigen::MatrixXd white = drawn::normal(samples, outputs, 2 * seed + 1);
  Matrix targets = a.llt().matrixL() * white;
  return drawn::data(std::move(inputs), std::move(targets));
}

TEST(PerLayer, FindsMoreEvidenceAndTheLayersThatDrewTheData) {
  const NetworkSpec network = NetworkSpec::uniform(3, 100, Activation::parse("tanh"));
  const std::vector<LayerPrior> layers = {{4.0, 0.5}, {1.0, 0.05}, {2.5, 0.3}, {0.3, 0.02}};
  const PreparedData data = from_layers(network, layers, 1e-3, 240, 3, 30, 1);
  const Recommendation tied = recommend(data, network, {.criterion = "evidence", .risk_samples = 0});
  const Recommendation free =
      recommend(data, network, {.criterion = "evidence", .family = FamilyKind::per_layer, .risk_samples = 0});
  EXPECT_GT(free.best().evidence().log_marginal_likelihood, tied.best().evidence().log_marginal_likelihood + 10);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  EXPECT_GE(free.best().evidence().log_marginal_likelihood,
            engine.evaluate(layers, 1e-3).log_marginal_likelihood - 0.01);
  EXPECT_TRUE(free.continuous()->converged);
  const std::vector<Estimate>& estimates = free.continuous()->estimates;
  ASSERT_EQ(estimates.size(), 9u);
  int known = 0;
  SCOPED_TRACE(to_table(free));
  for (std::size_t l = 0; l < 4; ++l) {
    for (const bool bias : {false, true}) {
      const Estimate& estimate = estimates[2 * l + bias];
      if (!estimate.interval) continue;
      ++known;
      const double truth = bias ? layers[l].bias_variance : layers[l].weight_variance;
      EXPECT_GE(truth, estimate.interval->lower) << estimate.name;
      EXPECT_LE(truth, estimate.interval->upper) << estimate.name;
    }
  }
  EXPECT_GE(known, 5);
}

// Only the product of the variances matters to ReLU without bias: one direction per layer but the first is flat, and
// the point nearest to one pair is that pair.
TEST(PerLayer, NamesDirectionsThatTheDataCannotTellApart) {
  const NetworkSpec network = NetworkSpec::uniform(2);
  const PreparedData data = drawn::from_prior(network, {1.6, 0.0}, 0.01, 150, 5, 6, 3);
  RecommendOptions options{
      .criterion = "evidence", .family = FamilyKind::per_layer, .bias_bounds = {0.0, 1e-9}, .risk_samples = 0};
  const Recommendation free = recommend(data, network, options);
  options.family = FamilyKind::tied;
  const Recommendation tied = recommend(data, network, options);
  EXPECT_NEAR(free.best().evidence().log_marginal_likelihood, tied.best().evidence().log_marginal_likelihood, 0.02);
  EXPECT_EQ(free.continuous()->flat_directions.size(), 2u);
  for (const LayerPrior& layer : free.best().start.layers) {
    EXPECT_NEAR(std::log(layer.weight_variance / tied.best().pair().weight_variance), 0.0, 1e-2);
  }
  EXPECT_THAT(to_table(free), HasSubstr("The data cannot tell these apart: layer1.weight_variance up"));
}

TEST(PerLayer, IsInEveryForm) {
  const NetworkSpec network = NetworkSpec::uniform(1, 100, Activation::parse("erf"));
  const PreparedData data = from_layers(network, {{3.0, 0.3}, {0.5, 0.4}}, 0.01, 60, 3, 8, 2);
  const Recommendation r = recommend(data, network, {.criterion = "evidence", .family = FamilyKind::per_layer});
  const nlohmann::json json = nlohmann::json::parse(to_json(r));
  EXPECT_TRUE(json["recommended"]["weight_variance"].is_null());
  EXPECT_EQ(json["recommended"]["family"], "per-layer");
  ASSERT_EQ(json["recommended"]["layers"].size(), 2u);
  EXPECT_EQ(json["recommended"]["layers"][0]["weight_variance"], r.best().start.layers[0].weight_variance);
  EXPECT_TRUE(json["recommended"]["gradient"].contains("output.weight_variance"));
  EXPECT_THAT(to_table(r), HasSubstr("layer 1: σ_w² = "));
  EXPECT_THAT(to_table(r), HasSubstr("output layer: σ_w² = "));
  const PasteLines lines = paste_lines(r.best().start);
  EXPECT_THAT(lines.pytorch, HasSubstr("zip(layers, variances, strict=True)"));
  EXPECT_THAT(lines.keras, HasSubstr("zip(dense, variances, strict=True)"));
  EXPECT_THAT(lines.flax, HasSubstr("kernels[0]"));
}

}  // namespace
}  // namespace priorfit

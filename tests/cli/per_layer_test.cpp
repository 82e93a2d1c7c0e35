// A pair per layer, from the recommendation to weights, trained networks and predictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "helpers.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

TEST(PerLayerCommand, GoesFromTheRecommendationToNetworks) {
  const Scratch scratch;
  const Outcome outcome =
      priorfit({"recommend", "digits", "--samples", "80", "--depth", "2", "--activation", "tanh", "--noise-bounds",
                "1e-4,1", "--per-layer", "--risk-samples", "0", "--out", scratch.path("r")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("layer 2: σ_w² = "));
  const std::string file = scratch.path("r/recommendation.json");
  const auto recommended = nlohmann::json::parse(test::read_all(file)).at("recommended");
  EXPECT_EQ(recommended.at("family"), "per-layer");
  ASSERT_EQ(recommended.at("layers").size(), 3u);
  ASSERT_EQ(priorfit({"init", "--from", file, "--width", "800", "--out", scratch.path("w.safetensors")}).code, 0);
  const LoadedWeights weights = load_weights(scratch.path("w.safetensors"));
  for (std::size_t l = 0; l < 3; ++l) {
    const DenseLayer& layer = weights.network.layers[l];
    const double variance = recommended.at("layers")[l].at("weight_variance").get<double>();
    const double measured = layer.weights.cast<double>().squaredNorm() / double(layer.weights.rows());
    EXPECT_NEAR(measured, variance, 0.06 * variance) << l;
  }
  const Outcome trained =
      priorfit({"train", "digits", "--from", file, "--samples", "80", "--width", "30", "--epochs", "2"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Outcome predicted =
      priorfit({"predict", "digits", "--from", file, "--samples", "80", "--test-fraction", "0.1"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
}

TEST(PerLayerCommand, DrawsTheVariancesThatAreGiven) {
  const Scratch scratch;
  ASSERT_EQ(
      priorfit({"init", "--layers", "300,400,500", "--layer-variances", "2:0.5,0.1", "--out", scratch.path("w.npz")})
          .code,
      0);
  const std::vector<DenseLayer> layers = load_weights(scratch.path("w.npz")).network.layers;
  EXPECT_NEAR(layers[0].weights.cast<double>().squaredNorm() / 400, 2.0, 0.05);
  EXPECT_NEAR(layers[0].bias.cast<double>().squaredNorm() / 400, 0.5, 0.15);
  EXPECT_NEAR(layers[1].weights.cast<double>().squaredNorm() / 500, 0.1, 0.003);
  EXPECT_EQ(layers[1].bias.squaredNorm(), 0.0F);
  const Outcome few = priorfit({"init", "--layers", "3,4,5", "--layer-variances", "2", "--out", scratch.path("x.npz")});
  EXPECT_EQ(few.code, 2);
  EXPECT_THAT(few.err, HasSubstr("--layer-variances has 1 entries: the network has 2 layers, the output included"));
}

TEST(PerLayerCommand, ExcludesOtherFamiliesAndGrids) {
  const Outcome both = priorfit({"recommend", "digits", "--per-layer", "--untie-output"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("leave out --untie-output"));
  const Outcome grid = priorfit({"recommend", "digits", "--per-layer", "--grid", "paper"});
  EXPECT_EQ(grid.code, 2);
  EXPECT_THAT(grid.err, HasSubstr("--per-layer has too many variances for a grid"));
}

// The library names its arguments; what the user reads are the flags.
TEST(ErrorMessages, NameFlags) {
  EXPECT_THAT(priorfit({"recommend", "digits", "--weight-bounds", "3,1"}).err,
              HasSubstr("--weight-bounds is 3 to 1: the lower end must be greater than 0 and less than the upper"));
  EXPECT_THAT(priorfit({"recommend", "digits", "--noise", "-1"}).err, HasSubstr("--noise is -1"));
}

}  // namespace
}  // namespace priorfit::cli

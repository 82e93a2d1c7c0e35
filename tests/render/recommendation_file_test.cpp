#include "priorfit/recommendation_file.hpp"

#include <nlohmann/json.hpp>

#include "helpers.hpp"

namespace priorfit {
namespace {

using test::expect_error;
using test::Scratch;

nlohmann::json sound() {
  return {{"schema", "priorfit.recommendation/1"},
          {"data", {{"name", "d"}, {"features", 64}, {"outputs", 10}}},
          {"network", {{"depth", 2}, {"activation", "relu"}}},
          {"recommended", {{"weight_variance", 2.5}, {"bias_variance", 0.5}, {"noise_variance", 1e-3}}},
          {"grid", {{{"weight_variance", 1.0}}}}};
}

StoredRecommendation read(const nlohmann::json& json) {
  const Scratch folder;
  return read_recommendation(folder.file("recommendation.json", json.dump()));
}

TEST(RecommendationFile, ReadsWhatIsActedOn) {
  const StoredRecommendation found = read(sound());
  ASSERT_EQ(found.start.layers.size(), 3u);
  EXPECT_EQ(found.start.pair(), (LayerPrior{2.5, 0.5}));
  EXPECT_EQ(found.noise_variance, 1e-3);
  EXPECT_EQ(found.depth, 2);
  EXPECT_EQ(found.features, 64);
  EXPECT_EQ(found.outputs, 10);
}

TEST(RecommendationFile, ReadsTheLayersWhereTheyDiffer) {
  nlohmann::json json = sound();
  json["recommended"] = {{"weight_variance", nullptr}, {"bias_variance", nullptr}, {"distribution", "uniform"}};
  for (const double weight : {1.5, 0.5, 0.1}) {
    json["recommended"]["layers"].push_back({{"weight_variance", weight}, {"bias_variance", weight / 10}});
  }
  const StoredRecommendation found = read(json);
  ASSERT_EQ(found.start.layers.size(), 3u);
  EXPECT_EQ(found.start.layers[1], (LayerPrior{0.5, 0.05}));
  EXPECT_EQ(found.start.distribution, Distribution::uniform);
  EXPECT_FALSE(found.noise_variance);
  json["recommended"]["layers"].erase(2);
  expect_error(
      ErrorKind::data, [&] { read(json); }, "priors has 2 entries: the network has 3 layers");
}

TEST(RecommendationFile, ReadsAnOutputOfItsOwnFromBeforeLayersWereListed) {
  nlohmann::json json = sound();
  json["recommended"]["output_weight_variance"] = 0.01;
  const StoredRecommendation found = read(json);
  EXPECT_EQ(found.start.own_output(), 0.01);
  EXPECT_EQ(found.start.layers[0], (LayerPrior{2.5, 0.5}));
}

TEST(RecommendationFile, NamesTheFieldThatNoNetworkCanHave) {
  for (const nlohmann::json& depth : {nlohmann::json(0), {-1}, {1e300}, {"two"}, {nullptr}, {std::int64_t{1} << 62}}) {
    nlohmann::json json = sound();
    json["network"]["depth"] = depth;
    expect_error(
        ErrorKind::data, [&] { read(json); }, "recommendation.json", "depth is");
  }
  nlohmann::json json = sound();
  json["data"]["features"] = -3;
  expect_error(
      ErrorKind::data, [&] { read(json); }, "features is -3");
}

TEST(RecommendationFile, PassesOverWhatItDoesNotRead) {
  nlohmann::json json = sound();
  json["network"]["other"] = {{"deep", {1, {2, {3}}}}};
  EXPECT_EQ(read(json).depth, 2);
  json["schema"] = "priorfit.training/1";
  expect_error(
      ErrorKind::data, [&] { read(json); }, "schema is");
}

}  // namespace
}  // namespace priorfit

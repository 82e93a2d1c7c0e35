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
  EXPECT_EQ(found.prior, (LayerPrior{2.5, 0.5}));
  EXPECT_EQ(found.noise_variance, 1e-3);
  EXPECT_EQ(found.depth, 2);
  EXPECT_EQ(found.features, 64);
  EXPECT_EQ(found.outputs, 10);
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

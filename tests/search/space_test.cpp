#include "search/space.hpp"

#include "helpers.hpp"

namespace priorfit::internal {
namespace {

const NetworkSpec network = NetworkSpec::uniform(2);

TEST(SearchSpace, GoesToAPlaceAndBack) {
  SearchSpace space(Family::per_layer(network, {0.01, 10}, {0, 4}), {"noise_variance", {1e-8, 1.0}});
  space.set_nuisance_offset(1e-3);
  ASSERT_EQ(space.size(), 7);
  EXPECT_EQ(space.name(4), "output.weight_variance");
  const Place place{{.layers = {{1.5, 0.2}, {0.7, 0.0}, {0.3, 4.0}}}, 0.02};
  const Place back = space.to_place(space.to_point(place));
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_NEAR(back.start.layers[l].weight_variance, place.start.layers[l].weight_variance, 1e-12);
  }
  EXPECT_EQ(back.start.layers[1].bias_variance, 0.0);  // a coordinate on its bound has the bound's very value
  EXPECT_EQ(back.start.layers[2].bias_variance, 4.0);
  EXPECT_NEAR(back.nuisance, 0.02, 1e-12);
  EXPECT_TRUE(space.is_natural(1));
  EXPECT_FALSE(space.is_natural(0));
}

// The slope of a coordinate is the sum over the layers it rules.
TEST(SearchSpace, ChainsSlopesOfTheLayersThatACoordinateRules) {
  const SearchSpace space(Family::with_output(network, {0.01, 10}, {0, 4}, {1e-4, 10}),
                          {"noise_variance", {1e-8, 1.0}});
  const Slopes slopes{.layers = {{1.0, 10.0}, {2.0, 20.0}, {4.0, 40.0}}, .nuisance = 7.0};
  const Point by_variance = space.slopes_of(slopes);
  EXPECT_EQ(by_variance[0], 3.0);
  EXPECT_EQ(by_variance[1], 30.0);
  EXPECT_EQ(by_variance[2], 4.0);
  EXPECT_EQ(by_variance[3], 7.0);
  const Point at = space.to_point({Initialisation::with_output(network, {2.0, 0.5}, 0.1), 0.01});
  const Point chained = space.chain(slopes, at);
  EXPECT_NEAR(chained[0], 3.0 * 2.0, 1e-12);
  EXPECT_NEAR(chained[1], 30.0 * (0.5 + bias_offset), 1e-12);
  EXPECT_NEAR(chained[2], 4.0 * 0.1, 1e-12);
  EXPECT_NEAR(chained[3], 7.0 * 0.01, 1e-12);
}

TEST(SearchSpace, MeasuresDistancesInItsCoordinates) {
  const Family tied = Family::tied(network, {0.01, 10}, {0, 4});
  const double distance =
      family_distance(tied, Initialisation::tied(network, {1.0, 0.0}), Initialisation::tied(network, {1.2, 0.01}));
  EXPECT_NEAR(distance, std::log(2.0), 1e-12);
}

}  // namespace
}  // namespace priorfit::internal

// Families: named coordinates to initialisations and back.
#include "priorfit/family.hpp"

#include "helpers.hpp"

namespace priorfit {
namespace {

const NetworkSpec network = NetworkSpec::uniform(2, 100);
const Bounds weights{0.01, 10.0}, biases{0.0, 4.0};

std::vector<std::string> names(const Family& family) {
  std::vector<std::string> list;
  for (const Family::Coordinate& coordinate : family.coordinates()) list.push_back(coordinate.name);
  return list;
}

TEST(Family, NamesItsCoordinates) {
  EXPECT_THAT(names(Family::tied(network, weights, biases)), testing::ElementsAre("weight_variance", "bias_variance"));
  EXPECT_THAT(names(Family::with_output(network, weights, biases, weights)),
              testing::ElementsAre("weight_variance", "bias_variance", "output_weight_variance"));
  EXPECT_THAT(names(Family::per_layer(network, weights, biases)),
              testing::ElementsAre("layer1.weight_variance", "layer1.bias_variance", "layer2.weight_variance",
                                   "layer2.bias_variance", "output.weight_variance", "output.bias_variance"));
}

TEST(Family, GoesToAnInitialisationAndBack) {
  const Family tied = Family::tied(network, weights, biases);
  EXPECT_EQ(tied.at({1.5, 0.2}), Initialisation::tied(network, {1.5, 0.2}));
  const Family output = Family::with_output(network, weights, biases, weights);
  EXPECT_EQ(output.at({1.5, 0.2, 0.01}), Initialisation::with_output(network, {1.5, 0.2}, 0.01));
  const Family free = Family::per_layer(network, weights, biases);
  const std::vector<double> values = {1.5, 0.2, 0.7, 0.0, 0.3, 0.1};
  EXPECT_EQ(free.at(values).layers[2], (LayerPrior{0.3, 0.1}));
  for (const Family* family : {&tied, &output, &free}) {
    std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(family->size()));
    EXPECT_EQ(family->values_of(family->at(some)), some);
  }
  EXPECT_FALSE(tied.values_of(free.at(values)));
  EXPECT_FALSE(tied.values_of(Initialisation::tied(NetworkSpec::uniform(3), {1.0, 0.0})));
  EXPECT_EQ(test::usage_error([&] { tied.at({1.0}); }), "values has 1 entries: the family has 2");
}

TEST(Family, TheNearestMemberIsTheGeometricMean) {
  const Family tied = Family::tied(network, weights, biases);
  const std::vector<double> near = tied.nearest_values(Initialisation{.layers = {{1.0, 0.0}, {2.0, 0.0}, {4.0, 0.0}}});
  EXPECT_NEAR(near[0], 2.0, 1e-12);
  EXPECT_EQ(near[1], 0.0);
}

TEST(Family, IsKnownByName) {
  EXPECT_EQ(parse_family("per-layer"), FamilyKind::per_layer);
  EXPECT_EQ(test::usage_error([] { parse_family("per-layr"); }),
            "family 'per-layr' is unknown; did you mean 'per-layer'? (known: tied, output, per-layer)");
}

}  // namespace
}  // namespace priorfit

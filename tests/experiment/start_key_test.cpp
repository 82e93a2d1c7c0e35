#include "experiment/start_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers.hpp"

namespace priorfit::internal {
namespace {

const NetworkSpec network = NetworkSpec::uniform(2, 30);
const NetworkShape shape{network, 7, 3};

Initialisation named(InitialScheme scheme) { return Initialisation::named(scheme, network, 7, 3); }

// The texts that stores have held from the beginning.
TEST(StartKey, WritesAsEver) {
  EXPECT_EQ(start_key(Initialisation::tied(network, {2.0, 0.0})), "weight_variance=2 bias_variance=0");
  EXPECT_EQ(start_key(Initialisation::tied(network, {0.1, 1.0 / 3.0})),
            "weight_variance=0.1 bias_variance=0.3333333333333333");
  EXPECT_EQ(start_key(Initialisation::with_output(network, {2.0, 1.0}, 0.01)),
            "weight_variance=2 bias_variance=1 output_weight_variance=0.01");
  EXPECT_EQ(start_key(named(InitialScheme::pytorch)), "scheme=pytorch");
  EXPECT_EQ(start_key(named(InitialScheme::he)), "weight_variance=2 bias_variance=0");
  EXPECT_EQ(start_key(named(InitialScheme::lecun)), "weight_variance=1 bias_variance=0");
}

TEST(StartKey, ReadsBackToTheSameBits) {
  Initialisation uniform = Initialisation::tied(network, {1.5, 0.1});
  uniform.distribution = Distribution::uniform;
  const Initialisation layers{.layers = {{2.0, 0.0}, {1.0 / 3.0, 1e-300}, {1e300, 0.5}}};
  for (const Initialisation& start :
       {Initialisation::tied(network, {1.0 / 3.0, 0.1}), Initialisation::with_output(network, {2.0, 0.0}, 1e-9),
        Initialisation::with_output(network, {2.0, 0.5}, 2.0), named(InitialScheme::pytorch),
        named(InitialScheme::keras), named(InitialScheme::glorot), layers, uniform}) {
    const Initialisation back = parse_start_key(start_key(start), shape);
    EXPECT_TRUE(same_start(back, start)) << start_key(start);
    EXPECT_EQ(back.layers, start.layers) << start_key(start);
  }
  EXPECT_EQ(start_key(layers), "layers=2:0,0.3333333333333333:1e-300,1e+300:0.5");
}

// Glorot's variances are LeCun's where all layers are equally wide: it stays a start of its own.
TEST(StartKey, ASchemeIsNotThePairItHappensToHave) {
  const NetworkSpec square = NetworkSpec::uniform(1, 4);
  const Initialisation glorot = Initialisation::named(InitialScheme::glorot, square, 4, 4);
  ASSERT_EQ(glorot, Initialisation::tied(square, {1.0, 0.0}));
  EXPECT_EQ(start_key(glorot), "scheme=glorot");
  EXPECT_FALSE(same_start(glorot, Initialisation::tied(square, {1.0, 0.0})));
  EXPECT_EQ(start_name(glorot), "glorot");
}

TEST(StartKey, RefusesWhatItDoesNotKnow) {
  for (const char* key :
       {"", "pytorch", "scheme=pytorhc", "weight_variance=2", "weight_variance=x bias_variance=0",
        "weight_variance=2 bias_variance=-1", "weight_variance=2 bias_variance=0 dropout=1", "layers=2:0,1:0",
        "layers=2:0,1,1:0", "weight_variance=2 bias_variance=0 distribution=even"}) {
    test::expect_error(
        ErrorKind::data, [&] { parse_start_key(key, shape); }, "names no initialisation");
  }
}

TEST(StartKey, ShowsThePairThatItSpells) {
  EXPECT_EQ(pair_in_key("weight_variance=2 bias_variance=1 output_weight_variance=3"), (LayerPrior{2.0, 1.0}));
  EXPECT_FALSE(pair_in_key("scheme=keras"));
  EXPECT_FALSE(pair_in_key("layers=2:0,1:0"));
}

}  // namespace
}  // namespace priorfit::internal

// An initialisation is one prior per layer; the known schemes are values of it.
#include "priorfit/initialisation.hpp"

#include "helpers.hpp"

namespace priorfit {
namespace {

const NetworkSpec network{{50, 20}, {}};

TEST(Initialisation, SchemesAreValues) {
  const Initialisation he = Initialisation::named(InitialScheme::he, network, 8, 2);
  EXPECT_EQ(he, Initialisation::tied(network, {2.0, 0.0}));  // whatever they are called
  EXPECT_EQ(he.scheme, InitialScheme::he);
  const Initialisation keras = Initialisation::named(InitialScheme::keras, network, 8, 2);
  const double expected[] = {2.0 * 8 / 58, 2.0 * 50 / 70, 2.0 * 20 / 22};
  for (std::size_t l = 0; l < 3; ++l) EXPECT_DOUBLE_EQ(keras.layers[l].weight_variance, expected[l]);
  EXPECT_EQ(keras.distribution, Distribution::uniform);
  EXPECT_NE(keras, Initialisation::named(InitialScheme::glorot, network, 8, 2));  // normal
  const Initialisation pytorch = Initialisation::named(InitialScheme::pytorch, network, 8, 2);
  EXPECT_DOUBLE_EQ(pytorch.layers[1].weight_variance, 1.0 / 3);
  EXPECT_DOUBLE_EQ(pytorch.layers[1].bias_variance, 1.0 / 150);
}

TEST(Initialisation, KnowsWhatItsLayersShare) {
  const Initialisation tied = Initialisation::tied(network, {1.5, 0.1});
  EXPECT_EQ(tied.pair(), (LayerPrior{1.5, 0.1}));
  EXPECT_FALSE(tied.own_output());
  const Initialisation output = Initialisation::with_output(network, {1.5, 0.1}, 0.01);
  EXPECT_FALSE(output.pair());
  EXPECT_EQ(output.hidden_pair(), (LayerPrior{1.5, 0.1}));
  EXPECT_EQ(output.own_output(), 0.01);
  const Initialisation free{.layers = {{1.0, 0.0}, {2.0, 0.5}, {0.1, 0.0}}};
  EXPECT_FALSE(free.hidden_pair());
  EXPECT_FALSE(free.own_output());
}

TEST(Initialisation, ReadsAsWhatItIs) {
  EXPECT_EQ(to_string(Initialisation::tied(network, {1.5, 0.1})), "(1.5, 0.1)");
  EXPECT_EQ(to_string(Initialisation::with_output(network, {1.5, 0.1}, 0.01)), "(1.5, 0.1, output 0.01)");
  EXPECT_EQ(to_string(Initialisation{.layers = {{1.0, 0.0}, {2.0, 0.5}, {0.1, 0.0}}}), "(1, 0 | 2, 0.5 | 0.1, 0)");
  EXPECT_EQ(to_string(Initialisation::named(InitialScheme::pytorch, network, 8, 2)), "pytorch");
}

TEST(Initialisation, RefusesLayersThatDoNotFit) {
  EXPECT_EQ(test::usage_error([] {
              Initialisation{.layers = {{1.0, 0.0}}}.validate(network);
            }),
            "priors has 1 entries: the network has 3 layers");
  EXPECT_EQ(test::usage_error([] {
              Initialisation::tied(network, {-1.0, 0.0}).validate(network);
            }),
            "weight_variance is -1: it must be finite and greater than 0");
}

// The pair with the same covariance: homogeneous activations without bias only.
TEST(Initialisation, HasAnEquivalentPairWhereOnlyTheProductMatters) {
  const Initialisation start{.layers = {{1.0, 0.0}, {2.0, 0.0}, {4.0, 0.0}}};
  EXPECT_NEAR(equivalent_pair(start, network)->weight_variance, 2.0, 1e-12);
  EXPECT_FALSE(equivalent_pair(start, {{50, 20}, Activation::parse("tanh")}));
  EXPECT_FALSE(equivalent_pair({.layers = {{1.0, 0.0}, {2.0, 0.1}, {4.0, 0.0}}}, network));
}

}  // namespace
}  // namespace priorfit

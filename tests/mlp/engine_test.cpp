// The engine that trains: forward against the plain formula, gradients against finite differences, and the same
// numbers for sparse and dense inputs, float and double, one thread and several.
#include "mlp/engine.hpp"

#include <gtest/gtest.h>

#include "linalg/threads.hpp"
#include "mlp/engines.hpp"
#include "mlp/every_activation.hpp"
#include "mlp/random_samples.hpp"

namespace priorfit::internal {
namespace {

using test::expect_gradients;
using test::make_engine;
using test::random_classes;
using test::random_regression;
using test::rate;
using test::same_bytes;
using test::whole_batch;

// M6 as written: no panels, no sparsity.
Matrix plain_forward(const Mlp& network, Matrix values) {
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    values = (values * network.layers[l].weights.cast<double>().transpose()).rowwise() +
             network.layers[l].bias.cast<double>().transpose();
    if (l + 1 < network.layers.size()) values = values.unaryExpr(network.spec.activation);
  }
  return values;
}

struct Case {
  std::vector<Index> hidden;
  Index features, outputs, rows;
  double density;
  double sparse_below;
};

void PrintTo(const Case& shape, std::ostream* out) {
  *out << shape.features << " inputs, " << shape.hidden.size() << " hidden layers, " << shape.rows << " rows, density "
       << shape.density;
}

// Widths below, at and beyond a vector, a panel and a tile; one to three hidden layers.
const std::vector<Case> cases = {{{5}, 7, 3, 6, 1.0, 0.0},           {{5}, 7, 3, 6, 0.4, 1.0},
                                 {{64}, 30, 10, 40, 0.3, 1.0},       {{150}, 300, 2, 33, 0.2, 1.0},
                                 {{300, 70}, 270, 4, 140, 0.2, 1.0}, {{300, 70}, 270, 4, 140, 1.0, 0.0},
                                 {{33, 65, 17}, 20, 1, 5, 0.5, 1.0}, {{9, 300, 260}, 20, 300, 7, 1.0, 0.0}};

class EngineLaws : public testing::TestWithParam<Case> {
 protected:
  Mlp network() const {
    return initialise({GetParam().hidden, {}}, GetParam().features, GetParam().outputs, LayerPrior{2.0, 0.1}, 3);
  }
  Samples samples() const {
    return random_regression(GetParam().rows, GetParam().features, GetParam().outputs, GetParam().density, 5);
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, EngineLaws, testing::ValuesIn(cases));

TEST_P(EngineLaws, ForwardIsThePlainFormula) {
  const Mlp net = network();
  const Samples data = samples();
  const InputRows<double> rows(data, GetParam().sparse_below);
  ASSERT_EQ(rows.sparse(), GetParam().sparse_below > 0);
  Engine<double> engine = make_engine<double>(net, rows.size(), rows.sparse());
  const double* outputs = engine.forward(whole_batch(rows));
  const Matrix expected = plain_forward(net, data.inputs);
  for (Index i = 0; i < expected.size(); ++i) EXPECT_NEAR(outputs[i], expected.data()[i], 1e-12);
}

TEST_P(EngineLaws, GradientsAreFiniteDifferences) {
  const InputRows<double> rows(samples(), GetParam().sparse_below);
  const Batch<double> batch = whole_batch(rows);
  const ThreadScope one(1);
  Engine<double> engine = make_engine<double>(network(), rows.size(), rows.sparse(), 1);
  Engine<double> stepped = engine;
  const OptimizerOptions adam;
  stepped.step(batch, rows.active_features(), rate);
  for (std::size_t l = 0; l < engine.layers().size(); ++l) {
    const std::string where = "layer " + std::to_string(l);
    expect_gradients(engine, batch, engine.layers()[l].weights, stepped.layers()[l].weights, adam, where + " weights");
    expect_gradients(engine, batch, engine.layers()[l].bias, stepped.layers()[l].bias, adam, where + " bias");
  }
}

template <typename T>
Mlp after_steps(const Mlp& start, const Samples& data, double sparse_below, int threads, int steps) {
  const ThreadScope scope(threads);
  const InputRows<T> rows(data, sparse_below);
  const Batch<T> batch = whole_batch(rows);
  Engine<T> engine = make_engine<T>(start, rows.size(), rows.sparse(), threads);
  for (int i = 0; i < steps; ++i) engine.step(batch, rows.active_features(), rate);
  Mlp network = start;
  engine.store(network);
  return network;
}

double largest_difference(const Mlp& a, const Mlp& b) {
  double largest = 0;
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    largest = std::max<double>(largest, (a.layers[l].weights - b.layers[l].weights).cwiseAbs().maxCoeff());
    largest = std::max<double>(largest, (a.layers[l].bias - b.layers[l].bias).cwiseAbs().maxCoeff());
  }
  return largest;
}

TEST_P(EngineLaws, FloatFollowsDouble) {
  const Mlp in_float = after_steps<float>(network(), samples(), GetParam().sparse_below, 2, 3);
  const Mlp in_double = after_steps<double>(network(), samples(), GetParam().sparse_below, 2, 3);
  EXPECT_LT(largest_difference(in_float, in_double), 2e-4);  // a step moves each weight by up to 1e-3
}

TEST_P(EngineLaws, SparseAndDenseProductsAgree) {
  const Mlp sparse = after_steps<double>(network(), samples(), 1.0, 2, 5);
  const Mlp dense = after_steps<double>(network(), samples(), 0.0, 2, 5);
  EXPECT_LT(largest_difference(sparse, dense), 1e-6);
}

TEST_P(EngineLaws, ThreadsDoNotChangeABit) {
  const Mlp one = after_steps<float>(network(), samples(), GetParam().sparse_below, 1, 4);
  for (const int threads : {2, 3, 5}) {
    EXPECT_TRUE(same_bytes(one, after_steps<float>(network(), samples(), GetParam().sparse_below, threads, 4)))
        << threads << " threads";
  }
}

// The same laws for every activation, with one hidden layer and with three. Odd widths: rows end within a vector.
class EngineActivations : public testing::TestWithParam<Activation> {
 protected:
  static constexpr Index rows_ = 9;
  std::vector<Mlp> networks() const {
    std::vector<Mlp> all;
    for (const std::vector<Index>& hidden : {std::vector<Index>{29}, std::vector<Index>{21, 37, 13}}) {
      all.push_back(initialise({hidden, GetParam()}, 11, 3, LayerPrior{1.5, 0.3}, 3));
    }
    return all;
  }
  const Samples samples_ = random_regression(rows_, 11, 3, 0.6, 5);
};

INSTANTIATE_TEST_SUITE_P(Every, EngineActivations, testing::ValuesIn(test::every_activation()), test::activation_label);

TEST_P(EngineActivations, ForwardIsThePlainFormula) {
  const InputRows<double> rows(samples_, 0.0);
  for (const Mlp& network : networks()) {
    Engine<double> engine = make_engine<double>(network, rows_, false, 1);
    const double* outputs = engine.forward(whole_batch(rows));
    const Matrix expected = plain_forward(network, samples_.inputs);
    for (Index i = 0; i < expected.size(); ++i) EXPECT_NEAR(outputs[i], expected.data()[i], 1e-13);
    const Matrix in_float = priorfit::forward(network, samples_.inputs);
    EXPECT_LT((in_float - expected).cwiseAbs().maxCoeff(), 1e-5);
  }
}

TEST_P(EngineActivations, GradientsAreFiniteDifferences) {
  const InputRows<double> rows(samples_, 0.0);
  const Batch<double> batch = whole_batch(rows);
  for (const Mlp& network : networks()) {
    Engine<double> engine = make_engine<double>(network, rows_, false, 1);
    Engine<double> stepped = engine;
    const OptimizerOptions adam;
    stepped.step(batch, rows.active_features(), rate);
    for (std::size_t l = 0; l < engine.layers().size(); ++l) {
      const std::string where = "layer " + std::to_string(l) + " of " + std::to_string(engine.layers().size());
      expect_gradients(engine, batch, engine.layers()[l].weights, stepped.layers()[l].weights, adam, where);
      expect_gradients(engine, batch, engine.layers()[l].bias, stepped.layers()[l].bias, adam, where + " bias");
    }
  }
}

TEST_P(EngineActivations, ThreadsDoNotChangeABit) {
  const Samples data = random_regression(70, 40, 3, 0.6, 5);
  const Mlp start = initialise({{300, 70}, GetParam()}, 40, 3, LayerPrior{1.5, 0.3}, 3);
  for (const double sparse_below : {0.0, 1.0}) {
    const Mlp one = after_steps<float>(start, data, sparse_below, 1, 3);
    EXPECT_TRUE(same_bytes(one, after_steps<float>(start, data, sparse_below, 3, 3)));
    EXPECT_FALSE(same_bytes(one, start));
  }
}

// What a network that is only measured computes, without slopes, is what training computes.
TEST_P(EngineActivations, MeasuringIsTheForwardPassOfTraining) {
  const InputRows<float> rows(samples_, 0.0);
  const Mlp network = networks().back();
  Engine<float> training = make_engine<float>(network, rows_, false, 1);
  const Matrix measured = priorfit::forward(network, samples_.inputs);
  const float* outputs = training.forward(whole_batch(rows));
  for (Index i = 0; i < measured.size(); ++i) EXPECT_EQ(outputs[i], static_cast<float>(measured.data()[i]));
}

TEST(Engine, SaysWhereSignalsExplodeAndGradientsVanish) {
  const Samples data = random_classes(12, 8, 3, 1.0, 2);
  const Batch<float> batch = whole_batch(InputRows<float>(data, 0.0));
  Mlp network = initialise({{6, 5, 4}, {}}, 8, 3, LayerPrior{2.0, 0.0}, 1);
  network.layers[1].weights *= 1e38F;
  auto exploding = make_engine<float>(network, 12, false, 1);
  exploding.forward(batch);
  EXPECT_EQ(exploding.exploded_layer(), 2);
  network = initialise({{6, 5, 4}, {}}, 8, 3, LayerPrior{2.0, 0.0}, 1);
  network.layers[2].bias.setConstant(-1e6F);  // no unit of the third layer is ever active
  auto vanishing = make_engine<float>(network, 12, false, 1);
  vanishing.step(batch, {}, rate);
  EXPECT_EQ(vanishing.exploded_layer(), 0);
  EXPECT_EQ(vanishing.vanished_layer(), 3);
  network.layers[2].bias.setConstant(0.1F);
  auto healthy = make_engine<float>(network, 12, false, 1);
  healthy.step(batch, {}, rate);
  EXPECT_EQ(healthy.vanished_layer(), 0);
}

TEST(Engine, CountsCorrectAnswersByTheLargestOutput) {
  const Samples data = random_classes(50, 8, 4, 1.0, 2);
  const InputRows<float> rows(data, 0.0);
  const Mlp network = initialise({{6}, {}}, 8, 4, LayerPrior{}, 1);
  Engine<float> engine = make_engine<float>(network, 50, false);
  const Batch<float> batch = whole_batch(rows);
  engine.forward(batch);
  const Matrix outputs = plain_forward(network, data.inputs);
  Index expected = 0;
  for (Index r = 0; r < 50; ++r) {
    Index largest = 0;
    outputs.row(r).maxCoeff(&largest);
    expected += largest == data.labels[static_cast<std::size_t>(r)] ? 1 : 0;
  }
  EXPECT_EQ(engine.loss(batch).correct, expected);
}

TEST(Engine, LeavesWeightsOfFeaturesThatAreNeverSeen) {
  Samples data = random_regression(20, 10, 2, 0.5, 4);
  data.inputs.col(3).setZero();
  const Mlp start = initialise({{8}, {}}, 10, 2, LayerPrior{}, 1);
  const Mlp sparse = after_steps<float>(start, data, 1.0, 1, 10);
  const Mlp dense = after_steps<float>(start, data, 0.0, 1, 10);
  EXPECT_EQ(sparse.layers[0].weights.col(3), start.layers[0].weights.col(3));
  EXPECT_EQ(dense.layers[0].weights.col(3), start.layers[0].weights.col(3));
}

}  // namespace
}  // namespace priorfit::internal

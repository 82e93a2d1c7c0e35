// Every loss in the engine that trains: gradients, values, and the same bits for any number of threads.
#include <gtest/gtest.h>

#include "linalg/threads.hpp"
#include "mlp/engines.hpp"
#include "mlp/random_samples.hpp"

namespace priorfit::internal {
namespace {

using test::expect_gradients;
using test::make_engine;
using test::random_classes;
using test::rate;
using test::same_bytes;
using test::whole_batch;

// Cross-entropy with and without smoothing, with one logit and with several.
struct LossCase {
  const char* name;
  LossRule rule;
  Index outputs;
};

class EngineLosses : public testing::TestWithParam<LossCase> {
 protected:
  Samples samples() const {
    Samples data = random_classes(9, 11, std::max<Index>(GetParam().outputs, 2), 0.6, 5);
    if (GetParam().outputs == 1) data.targets.resize(9, 0);
    return data;
  }
  Mlp network() const {
    return initialise({{21, 13}, Activation::parse("tanh")}, 11, GetParam().outputs, LayerPrior{1.5, 0.3}, 3);
  }
};

INSTANTIATE_TEST_SUITE_P(Every, EngineLosses,
                         testing::Values(LossCase{"squared", {Loss::squared, 0.0}, 4},
                                         LossCase{"softmax", {Loss::cross_entropy, 0.0}, 4},
                                         LossCase{"smoothed", {Loss::cross_entropy, 0.2}, 4},
                                         LossCase{"two", {Loss::cross_entropy, 0.0}, 2},
                                         LossCase{"logit", {Loss::cross_entropy, 0.0}, 1},
                                         LossCase{"smoothed_logit", {Loss::cross_entropy, 0.2}, 1}),
                         [](const auto& info) { return info.param.name; });

TEST_P(EngineLosses, GradientsAreFiniteDifferences) {
  for (const double sparse_below : {0.0, 1.0}) {
    const InputRows<double> rows(samples(), sparse_below);
    const Batch<double> batch = whole_batch(rows);
    Engine<double> engine = make_engine<double>(network(), 9, rows.sparse(), 1, GetParam().rule);
    Engine<double> stepped = engine;
    stepped.step(batch, rows.active_features(), rate);
    for (std::size_t l = 0; l < engine.layers().size(); ++l) {
      const std::string where = "layer " + std::to_string(l);
      expect_gradients(engine, batch, engine.layers()[l].weights, stepped.layers()[l].weights, {}, where);
      expect_gradients(engine, batch, engine.layers()[l].bias, stepped.layers()[l].bias, {}, where + " bias");
    }
  }
}

TEST_P(EngineLosses, IsTheTextbookFormula) {
  const Samples data = samples();
  const InputRows<double> rows(data, 0.0);
  Engine<double> engine = make_engine<double>(network(), 9, false, 1, GetParam().rule);
  const Batch<double> batch = whole_batch(rows);
  const double* outputs = engine.forward(batch);
  double expected = 0;
  for (Index r = 0; r < 9; ++r) {
    std::vector<double> z(outputs + r * GetParam().outputs, outputs + (r + 1) * GetParam().outputs);
    if (z.size() == 1) z = {0.0, z[0]};
    double sum = 0;
    for (const double value : z) sum += std::exp(value);
    for (std::size_t k = 0; k < z.size(); ++k) {
      const double smoothing = GetParam().rule.label_smoothing, share = smoothing / static_cast<double>(z.size());
      const bool right = static_cast<int>(k) == data.labels[static_cast<std::size_t>(r)];
      if (GetParam().rule.kind == Loss::squared) {
        expected += std::pow(z[k] - data.targets(r, static_cast<Index>(k)), 2) / static_cast<double>(z.size());
      } else {
        expected -= (share + (right ? 1 - smoothing : 0.0)) * std::log(std::exp(z[k]) / sum);
      }
    }
  }
  EXPECT_NEAR(engine.loss(batch).sum, expected, 1e-12 * expected);
}

TEST(Loss, OfLogitsBeyondExpIsFinite) {
  const Samples data = {Matrix::Zero(2, 1), Matrix(2, 0), {0, 1}};
  Batch<float> batch = whole_batch(InputRows<float>(data, 0.0));
  const std::vector<float> outputs = {1e4F, -1e4F, 1e4F, -1e4F};
  std::vector<float> delta(4);
  EXPECT_EQ(batch_loss({Loss::cross_entropy, 0.0}, batch, outputs.data(), 2, delta.data()).sum, 2e4);
  EXPECT_EQ(delta, (std::vector<float>{0.0F, 0.0F, 0.5F, -0.5F}));
  EXPECT_EQ(batch_loss({Loss::cross_entropy, 0.0}, batch, outputs.data(), 1, delta.data()).sum, 2e4);  // 1e4, -1e4
  EXPECT_EQ(delta[0], 0.5F);
  EXPECT_EQ(delta[1], -0.5F);
}

TEST(Loss, OfLogitsThatAreNotNumbersIsNotFinite) {
  const Samples data = {Matrix::Zero(1, 1), Matrix(1, 0), {0}};
  const Batch<float> batch = whole_batch(InputRows<float>(data, 0.0));
  for (const std::vector<float>& outputs : {std::vector<float>{1, NAN}, {NAN, 1}, {1, INFINITY}}) {
    EXPECT_FALSE(std::isfinite(batch_loss({Loss::cross_entropy, 0.0}, batch, outputs.data(), 2, nullptr).sum));
  }
  const float nan = NAN;
  EXPECT_FALSE(std::isfinite(batch_loss({Loss::cross_entropy, 0.0}, batch, &nan, 1, nullptr).sum));
}

// Every loss with every optimiser: no thread count, and no way of storing the inputs, changes what comes out.
TEST_P(EngineLosses, ThreadsDoNotChangeABit) {
  Samples data = random_classes(70, 40, std::max<Index>(GetParam().outputs, 2), 0.6, 5);
  if (GetParam().outputs == 1) data.targets.resize(70, 0);
  const Mlp start = initialise({{300, 70}, {}}, 40, GetParam().outputs, LayerPrior{1.5, 0.3}, 3);
  for (const OptimizerOptions& optimizer :
       {OptimizerOptions{.kind = OptimizerKind::adamw, .weight_decay = 0.1},
        OptimizerOptions{.kind = OptimizerKind::sgd},
        OptimizerOptions{.kind = OptimizerKind::sgd, .momentum = 0.9, .nesterov = true}}) {
    for (const double sparse_below : {0.0, 1.0}) {
      const InputRows<float> rows(data, sparse_below);
      const auto after = [&](int threads) {
        const ThreadScope scope(threads);
        auto engine = make_engine<float>(start, 70, rows.sparse(), threads, GetParam().rule, optimizer);
        for (int i = 0; i < 3; ++i) engine.step(whole_batch(rows), rows.active_features(), 0.01);
        Mlp network = start;
        engine.store(network);
        return network;
      };
      const Mlp one = after(1);
      EXPECT_TRUE(same_bytes(one, after(3)));
      EXPECT_FALSE(same_bytes(one, start));
    }
  }
}

}  // namespace
}  // namespace priorfit::internal

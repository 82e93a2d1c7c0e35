// Fifty steps of every loss with every optimiser, from the weights and batches of stored PyTorch runs
// (fixtures/make_torch_trajectory.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "linalg/threads.hpp"
#include "mlp/engine.hpp"

namespace priorfit::internal {
namespace {

using nlohmann::json;

json trajectories() {
  std::ifstream file(PRIORFIT_FIXTURES "/torch_trajectory.json");
  return json::parse(file).at("trajectories");
}

Mlp network_from(const json& run, const json& parameters) {
  const auto sizes = run["sizes"].get<std::vector<Index>>();
  const NetworkSpec spec{{sizes.begin() + 1, sizes.end() - 1}, Activation::parse(run["activation"].get<std::string>())};
  Mlp network = initialise(spec, sizes.front(), sizes.back(), LayerPrior{}, 1);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const auto weights = parameters[2 * l].get<std::vector<float>>();
    const auto bias = parameters[2 * l + 1].get<std::vector<float>>();
    std::copy(weights.begin(), weights.end(), network.layers[l].weights.data());
    std::copy(bias.begin(), bias.end(), network.layers[l].bias.data());
  }
  return network;
}

Samples samples_from(const json& run, Index features, Index outputs) {
  const auto inputs = run["inputs"].get<std::vector<double>>();
  const auto targets = run.value("targets", std::vector<double>());
  const Index rows = static_cast<Index>(inputs.size()) / features;
  return {Eigen::Map<const Matrix>(inputs.data(), rows, features),
          Eigen::Map<const Matrix>(targets.data(), targets.empty() ? 0 : rows, outputs),
          run.value("labels", std::vector<int>())};
}

EngineOptions engine_options(const json& run, bool sparse) {
  const json& rule = run["optimizer"];
  EngineOptions options{.max_rows = 8, .training = true, .sparse_inputs = sparse, .threads = 1};
  options.loss = {parse_loss(run["loss"]["kind"].get<std::string>()), run["loss"].value("label_smoothing", 0.0)};
  options.optimizer.kind = parse_optimizer_kind(rule["kind"].get<std::string>());
  options.optimizer.weight_decay = rule.value("weight_decay", 0.0);
  options.optimizer.momentum = rule.value("momentum", 0.0);
  options.optimizer.nesterov = rule.value("nesterov", false);
  options.optimizer.validate();
  return options;
}

LearningRateSchedule schedule_from(const json& rule) {
  return {rule["learning_rate"].get<double>(), rule.value("warmup_steps", Index{0}),
          parse_decay(rule.value("decay", "constant"))};
}

// 1e-4 relative, with a floor of a tenth of one step's largest move for weights that are next to zero.
template <typename Values>
void expect_close(const Values& found, const Values& expected, const std::string& what) {
  for (Index i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.data()[i], expected.data()[i], 1e-4 * std::abs(expected.data()[i]) + 1e-6) << what << " " << i;
  }
}

void replay(const json& run, double sparse_below) {
  const ThreadScope one(1);  // that threads change nothing is a law of its own (engine_test.cpp)
  SCOPED_TRACE(run["activation"].dump() + " " + run["loss"].dump() + " " + run["optimizer"].dump());
  const auto sizes = run["sizes"].get<std::vector<Index>>();
  Mlp network = network_from(run, run["start"]);
  const InputRows<float> rows(samples_from(run, sizes.front(), sizes.back()), sparse_below);
  ASSERT_EQ(rows.sparse(), sparse_below > 0);
  const EngineOptions options = engine_options(run, rows.sparse());
  Engine<float> engine(network, options);
  std::vector<std::uint32_t> features(rows.active_features().begin(), rows.active_features().end());
  if (options.optimizer.weight_decay > 0) {
    features.resize(static_cast<std::size_t>(sizes.front()));
    std::iota(features.begin(), features.end(), 0U);
  }
  const LearningRateSchedule schedule = schedule_from(run["optimizer"]);
  Batch<float> batch;
  const auto steps = static_cast<Index>(run["batches"].size());
  ASSERT_EQ(steps, 50);
  for (Index step = 0; step < steps; ++step) {
    rows.gather(run["batches"][step].get<std::vector<std::int64_t>>(), true, batch);
    // One step per epoch: the schedule counts in epochs.
    const BatchLoss loss = engine.step(batch, features, schedule.at(static_cast<std::uint64_t>(step) + 1, 1, steps));
    const double expected = run["losses"][step].get<double>();
    EXPECT_NEAR(loss.sum / static_cast<double>(batch.rows), expected, 1e-4 * expected) << "step " << step;
  }
  engine.store(network);
  const Mlp expected = network_from(run, run["end"]);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    expect_close(network.layers[l].weights, expected.layers[l].weights, "weight of layer " + std::to_string(l));
    expect_close(network.layers[l].bias, expected.layers[l].bias, "bias of layer " + std::to_string(l));
  }
}

TEST(TorchTrajectory, SparseProductsFollowIt) {
  for (const json& run : trajectories()) replay(run, 1.0);
}

TEST(TorchTrajectory, DenseProductsFollowIt) {
  for (const json& run : trajectories()) replay(run, 0.0);
}

TEST(TorchTrajectory, HasEveryLossWithEveryOptimizer) {
  std::set<std::string> seen;
  for (const json& run : trajectories()) {
    seen.insert(run["loss"]["kind"].get<std::string>() + " " + run["optimizer"]["kind"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), 6U);
}

}  // namespace
}  // namespace priorfit::internal

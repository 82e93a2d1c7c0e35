// Twenty Adam steps from the weights and batches of a stored PyTorch run (fixtures/make_torch_trajectory.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "mlp/engine.hpp"

namespace priorfit::mlp {
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
  const auto targets = run["targets"].get<std::vector<double>>();
  const Index rows = static_cast<Index>(inputs.size()) / features;
  return {Eigen::Map<const Matrix>(inputs.data(), rows, features),
          Eigen::Map<const Matrix>(targets.data(), rows, outputs),
          {}};
}

// 1e-4 relative, with a floor of a tenth of one step's largest move for weights that are next to zero.
template <typename Values>
void expect_close(const Values& found, const Values& expected, const std::string& what) {
  for (Index i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.data()[i], expected.data()[i], 1e-4 * std::abs(expected.data()[i]) + 1e-6) << what << " " << i;
  }
}

void replay(const json& run, double sparse_below) {
  SCOPED_TRACE(run["activation"]);
  const auto sizes = run["sizes"].get<std::vector<Index>>();
  Mlp network = network_from(run, run["start"]);
  const InputRows<float> rows(samples_from(run, sizes.front(), sizes.back()), sparse_below);
  ASSERT_EQ(rows.sparse(), sparse_below > 0);
  Engine<float> engine(network, {.max_rows = 8, .training = true, .sparse_inputs = rows.sparse(), .threads = 2});
  Batch<float> batch;
  for (std::size_t step = 0; step < run["batches"].size(); ++step) {
    rows.gather(run["batches"][step].get<std::vector<std::int64_t>>(), true, batch);
    const BatchLoss loss = engine.step(batch, rows.active_features(), {});
    const double expected = run["losses"][step].get<double>();
    EXPECT_NEAR(loss.squared_error / static_cast<double>(batch.targets.size()), expected, 1e-4 * expected)
        << "step " << step;
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

}  // namespace
}  // namespace priorfit::mlp

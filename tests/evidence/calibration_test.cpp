// Simulation-based calibration: variances drawn from a prior, targets drawn from the process with them; then the rank
// of the true variance under its posterior is uniform, if and only if evidence and process agree.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/threads.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/kernel.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr int simulations = 500;
constexpr Index samples = 16, features = 6, outputs = 2;
constexpr double noise = 1e-2;
// Kolmogorov's 95 % band around the uniform distribution function, all ranks at once.
const double band = 1.358 / std::sqrt(static_cast<double>(simulations));

/// The prior: every pair of these equally likely, so that the posterior on the grid is exact.
const std::vector<double> weight_variances = {0.5, 0.8, 1.25, 2.0, 3.2, 5.0, 8.0};
const std::vector<double> bias_variances = {0.01, 0.1, 0.3, 1.0, 3.0};

struct Ranks {
  std::vector<double> weight, bias;  // one per simulation, in (0, 1)
};

/// P(value below the true one) + share · P(the true one): uniform in spite of the grid when `share` is.
double rank_of(const std::vector<double>& probabilities, std::size_t truth, double share) {
  double below = 0.0;
  for (std::size_t i = 0; i < truth; ++i) below += probabilities[i];
  return below + share * probabilities[truth];
}

/// The posterior's two marginals, given log evidences weight-major.
std::pair<std::vector<double>, std::vector<double>> marginals(const std::vector<double>& log_evidence) {
  const double most = *std::max_element(log_evidence.begin(), log_evidence.end());
  std::vector<double> weight(weight_variances.size()), bias(bias_variances.size());
  double total = 0.0;
  for (const double value : log_evidence) total += std::exp(value - most);
  for (std::size_t i = 0; i < log_evidence.size(); ++i) {
    const double probability = std::exp(log_evidence[i] - most) / total;
    weight[i / bias.size()] += probability;
    bias[i % bias.size()] += probability;
  }
  return {weight, bias};
}

Matrix normals(Index rows, Index columns, std::uint64_t stream) {
  Matrix out(rows, columns);
  RandomStream(20, RandomUse::simulation, stream).fill_normal(std::span<double>(out.data(), out.size()));
  return out;
}

/// Targets come from the process at `inputs`; `scale` ≠ 1 makes the evidence believe in other inputs.
Ranks simulate_ranks(const NetworkSpec& network, double scale) {
  const ThreadScope one_thread(1);
  const RandomStream uniforms(21, RandomUse::simulation);
  Ranks ranks;
  for (int s = 0; s < simulations; ++s) {
    const auto stream = static_cast<std::uint64_t>(s);
    const Matrix inputs = normals(samples, features, 2 * stream);
    const std::size_t w = uniforms.below(weight_variances.size(), 4 * stream);
    const std::size_t b = uniforms.below(bias_variances.size(), 4 * stream + 1);
    Matrix covariances = covariance(network, {weight_variances[w], bias_variances[b]}, inputs);
    covariances.diagonal().array() += noise;
    const Matrix targets = Eigen::LLT<Matrix>(covariances).matrixL() * normals(samples, outputs, 2 * stream + 1);

    const Matrix believed = scale * inputs;
    EvidenceEngine engine(believed, targets, network);
    std::vector<double> log_evidence;
    for (const double weight : weight_variances) {
      for (const double bias : bias_variances) {
        log_evidence.push_back(engine.evaluate({weight, bias}, noise).log_marginal_likelihood);
      }
    }
    const auto [weight, bias] = marginals(log_evidence);
    ranks.weight.push_back(rank_of(weight, w, uniforms.uniform(4 * stream + 2)));
    ranks.bias.push_back(rank_of(bias, b, uniforms.uniform(4 * stream + 3)));
  }
  return ranks;
}

/// The largest distance of the ranks' distribution function from the uniform one.
double distance_from_uniform(std::vector<double> ranks) {
  std::sort(ranks.begin(), ranks.end());
  const auto count = static_cast<double>(ranks.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    largest =
        std::max({largest, ranks[i] - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - ranks[i]});
  }
  return largest;
}

struct Setting {
  const char* activation;
  Index depth;
};

class Calibration : public testing::TestWithParam<Setting> {
 protected:
  const NetworkSpec network_ = NetworkSpec::uniform(GetParam().depth, 1, Activation::parse(GetParam().activation));
};

TEST_P(Calibration, RanksAreUniform) {
  const Ranks ranks = simulate_ranks(network_, 1.0);
  const double weight = distance_from_uniform(ranks.weight), bias = distance_from_uniform(ranks.bias);
  RecordProperty("weight_variance", std::to_string(weight));
  RecordProperty("bias_variance", std::to_string(bias));
  EXPECT_LT(weight, band);
  EXPECT_LT(bias, band);
}

// x·x′ where the kernel has x·x′/d: the inputs seem √d times as long.
TEST_P(Calibration, AKernelWithoutTheFanInIsFoundOut) {
  const Ranks ranks = simulate_ranks(network_, std::sqrt(static_cast<double>(features)));
  const double weight = distance_from_uniform(ranks.weight);
  RecordProperty("weight_variance", std::to_string(weight));
  EXPECT_GT(weight, 2 * band);
}

INSTANTIATE_TEST_SUITE_P(Networks, Calibration,
                         testing::Values(Setting{"relu", 1}, Setting{"relu", 3}, Setting{"erf", 1}, Setting{"erf", 3}),
                         [](const auto& info) {
                           return std::string(info.param.activation) + "AtDepth" + std::to_string(info.param.depth);
                         });

}  // namespace
}  // namespace priorfit

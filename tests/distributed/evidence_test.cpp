// Four ranks against one process.
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include "distributed/distributed.hpp"
#include "helpers.hpp"
#include "linalg/threads.hpp"
#include "support/proc_files.hpp"

namespace priorfit::internal {
namespace {

constexpr Index samples = 203, features = 7, outputs = 3;  // no multiple of any block

struct Drawn {
  Matrix inputs = test::random_matrix(samples, features, 1);
  Matrix targets = test::random_matrix(samples, outputs, 2);
};

/// |a − b| relative to the larger of b and `floor`.
double distance(double a, double b, double floor) { return std::abs(a - b) / std::max(std::abs(b), floor); }

void compare(const World& world, const NetworkSpec& network, const std::vector<LayerPrior>& layers, double noise) {
  const Drawn data;
  EvidenceOptions shared;
  shared.elsewhere = evidence_of_all(world, /*smallest=*/0);
  EvidenceEngine one(data.inputs, data.targets, network), all(data.inputs, data.targets, network, shared);
  const std::string name(network.activation.name());
  EXPECT_FALSE(all.has_profiles());

  const Evidence expected = one.evaluate(layers, noise), got = all.evaluate(layers, noise);
  ASSERT_EQ(got.status, expected.status) << name;
  EXPECT_LT(distance(got.log_marginal_likelihood, expected.log_marginal_likelihood, 1.0), 1e-10) << name;
  EXPECT_LT(distance(got.per_value, expected.per_value, 1e-3), 1e-10) << name;
  EXPECT_LT(distance(all.evaluate_with_leave_one_out(layers, noise).leave_one_out,
                     one.evaluate_with_leave_one_out(layers, noise).leave_one_out, 1.0),
            1e-9)
      << name;

  const EvidenceGradient slopes = one.evaluate_with_gradient(layers, noise);
  const EvidenceGradient shared_slopes = all.evaluate_with_gradient(layers, noise);
  ASSERT_TRUE(slopes.ok());
  EXPECT_LT(distance(shared_slopes.evidence.leave_one_out, slopes.evidence.leave_one_out, 1.0), 1e-9) << name;
  EXPECT_LT(distance(shared_slopes.inverse_trace, slopes.inverse_trace, 0.0), 1e-9) << name;
  EXPECT_LT(distance(shared_slopes.by_noise_variance, slopes.by_noise_variance, 1.0), 1e-8) << name;
  ASSERT_EQ(shared_slopes.layers.size(), slopes.layers.size());
  for (std::size_t l = 0; l < slopes.layers.size(); ++l) {
    const double floor = 1e-2 * std::max(std::abs(slopes.by_weight_variance), std::abs(slopes.by_bias_variance));
    EXPECT_LT(distance(shared_slopes.layers[l].by_weight_variance, slopes.layers[l].by_weight_variance, floor), 1e-8)
        << name << " layer " << l;
    EXPECT_LT(distance(shared_slopes.layers[l].by_bias_variance, slopes.layers[l].by_bias_variance, floor), 1e-8)
        << name << " layer " << l;
  }
}

TEST(DistributedEvidence, IsThatOfOneProcessForEveryActivation) {
  const World world;
  for (const std::string& name : Activation::names()) {
    const NetworkSpec network = NetworkSpec::uniform(2, 100, Activation::parse(name));
    compare(world, network, layer_priors({.weight_variance = 1.3, .bias_variance = 0.2}, network), 0.01);
    compare(world, network, {{1.1, 0.3}, {1.7, 0.0}, {0.4, 0.1}}, 0.05);
  }
}

TEST(DistributedEvidence, IsTheSameOnGridsOfEveryShape) {
  const NetworkSpec network = NetworkSpec::uniform(1);
  for (const GridShape& shape : {GridShape{1, 4}, GridShape{4, 1}, GridShape{2, 2}}) {
    const World world(shape);
    compare(world, network, layer_priors({.weight_variance = 2.0, .bias_variance = 0.5}, network), 0.1);
  }
}

TEST(DistributedEvidence, OfManyThreadsIsThatOfOne) {
  const World world;
  const NetworkSpec network = NetworkSpec::uniform(1, 100, Activation::parse("tanh"));
  const ThreadScope threads(3);
  compare(world, network, layer_priors({.weight_variance = 2.0, .bias_variance = 0.5}, network), 0.1);
}

TEST(DistributedEvidence, AddsTheSameJitterAndNamesTheSameFailure) {
  const World world;
  const NetworkSpec network = NetworkSpec::uniform(1);
  Drawn data;
  data.inputs.bottomRows(100) = data.inputs.topRows(100);  // rows that repeat: singular without noise
  EvidenceOptions shared, none;
  shared.elsewhere = evidence_of_all(world, 0);
  EvidenceEngine one(data.inputs, data.targets, network), all(data.inputs, data.targets, network, shared);
  const Evidence expected = one.evaluate({2.0, 0.0}, 0.0), got = all.evaluate({2.0, 0.0}, 0.0);
  EXPECT_EQ(expected.status, EvidenceStatus::jittered);
  EXPECT_EQ(got.status, expected.status);
  EXPECT_GT(got.failed_pivot, 0);
  none.largest_relative_jitter = shared.largest_relative_jitter = 0.0;
  EvidenceEngine strict(data.inputs, data.targets, network, shared);
  EXPECT_EQ(strict.evaluate({2.0, 0.0}, 0.0).status, EvidenceStatus::not_positive_definite);
  const NetworkSpec deep = NetworkSpec::uniform(100);
  EvidenceEngine exploding(data.inputs, data.targets, deep, shared), alone(data.inputs, data.targets, deep, none);
  const LayerPrior huge{1e9, 0.0};
  EXPECT_EQ(exploding.evaluate(huge, 0.1).status, EvidenceStatus::not_finite);
  EXPECT_EQ(exploding.evaluate(huge, 0.1).failed_layer, alone.evaluate(huge, 0.1).failed_layer);
}

TEST(DistributedEvidence, OfFewSamplesIsRankZeros) {
  const World world;
  const Drawn data;
  const NetworkSpec network = NetworkSpec::uniform(2);
  EvidenceOptions shared;
  shared.elsewhere = evidence_of_all(world);
  EvidenceEngine one(data.inputs, data.targets, network), all(data.inputs, data.targets, network, shared);
  EXPECT_EQ(all.evaluate({2.0, 0.1}, 0.1).log_marginal_likelihood,
            one.evaluate({2.0, 0.1}, 0.1).log_marginal_likelihood);
  EXPECT_EQ(all.evaluate_with_gradient({2.0, 0.1}, 0.1).layers[1].by_bias_variance,
            one.evaluate_with_gradient({2.0, 0.1}, 0.1).layers[1].by_bias_variance);
}

TEST(DistributedEvidence, IsRefusedWithTheNumberOfRanksThatWouldHoldIt) {
  const World world;
  const auto elsewhere = evidence_of_all(world);
  elsewhere->require_memory(2000, 10, 1, 1);
  test::expect_error(
      ErrorKind::resource, [&] { elsewhere->require_memory(1'000'000, 10, 1, 1); },
      "the evidence of 1000000 samples needs", "on each of 4 ranks", "at least ", " ranks");
}

// ulimit -v holds for each process; only what the machine has is divided.
TEST(DistributedEvidence, HasTheAddressesOfEachRankForItself) {
  const World world;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t used = read_number("/proc/self/statm", 0) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit = {used + 400'000'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  EXPECT_NO_THROW(evidence_of_all(world)->require_memory(8000, 10, 1, 1));  // 0.2 GB on each of four ranks
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace priorfit::internal

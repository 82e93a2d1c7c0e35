// Does the interval hold what it promises? Data drawn from a known prior, again and again.
#include <gtest/gtest.h>

#include "drawn_data.hpp"
#include "linalg/threads.hpp"

namespace priorfit {
using namespace internal;
namespace {

bool holds(const Estimate& estimate, double value) {
  return estimate.interval && estimate.interval->lower <= value && value <= estimate.interval->upper;
}

TEST(Recovery, TheWeightVarianceLiesInItsInterval) {
  const ThreadScope one_thread(1);
  const NetworkSpec network = NetworkSpec::uniform(1);
  const LayerPrior design{1.6, 0.3};
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    PreparedData data = drawn::from_prior(network, design, 0.01, 300, 4, 5, seed);
    data.seed = seed;
    const Recommendation r = recommend(data, network, {.criterion = "evidence", .risk_samples = 0});
    inside += holds(r.continuous()->estimates[0], design.weight_variance);
  }
  RecordProperty("inside", inside);
  EXPECT_GE(inside, 90);
}

}  // namespace
}  // namespace priorfit

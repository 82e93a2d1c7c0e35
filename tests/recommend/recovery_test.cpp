// Does the interval hold what it promises? Data drawn from a known prior, again and again.
#include <gtest/gtest.h>

#include "linalg/threads.hpp"
#include "recommend/drawn_data.hpp"
#include "recommend/parts.hpp"

namespace priorfit {
namespace {

TEST(Recovery, TheWeightVarianceLiesInItsInterval) {
  const ThreadScope one_thread(1);
  const NetworkSpec network = NetworkSpec::uniform(1);
  const LayerPrior design{1.6, 0.3};
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const PreparedData data = drawn::from_prior(network, design, 0.01, 300, 4, 5, seed);
    const RecommendOptions options;
    CostMeter meter(options);
    ContinuousSearch search(data.train.inputs, data.train.targets, network, options, meter, seed);
    SearchOutcome outcome = search.cold();
    Recommendation result;
    fill_intervals(result, outcome, search);
    const auto& interval = result.intervals[0];
    if (interval && interval->lower <= design.weight_variance && design.weight_variance <= interval->upper) ++inside;
  }
  RecordProperty("inside", inside);
  EXPECT_GE(inside, 90);
}

}  // namespace
}  // namespace priorfit

// Samples of growing size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recommend/drawn_data.hpp"
#include "recommend/parts.hpp"

namespace priorfit {
namespace {

const PreparedData& many_rows() {
  static const PreparedData data = drawn::from_prior(NetworkSpec::uniform(1), {1.6, 0.0}, 0.02, 700, 6, 4, 1);
  return data;
}

Recommendation grown(const GrowthOptions& growth) {
  return recommend(many_rows(), NetworkSpec::uniform(1), {.growth = growth});
}

TEST(Growth, DoublesUntilThePairStays) {
  const Recommendation r = grown({.first_size = 50, .tolerance = 0.3});
  ASSERT_TRUE(r.growth);
  EXPECT_TRUE(r.growth->settled);
  const auto& steps = r.growth->steps;
  ASSERT_GE(steps.size(), 2u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].samples, Index{50} << i);
    EXPECT_EQ(steps[i].optima.size(), 3u);
    EXPECT_EQ(steps[i].moved.has_value(), i > 0);
  }
  EXPECT_LE(steps.back().spread, 0.3);
  EXPECT_LE(*steps.back().moved, 0.3);
  EXPECT_EQ(r.data.samples, steps.back().samples);
  EXPECT_LT(pair_distance(r.best().prior, steps.back().optima[0].prior), 0.02);
  EXPECT_THAT(to_table(r), testing::HasSubstr("Settled: the pair moves by less than 0.3"));
}

TEST(Growth, SaysWhenTheTimeIsUp) {
  const Recommendation r = grown({.first_size = 50, .tolerance = 1e-9, .time_limit = 1e-6});
  EXPECT_FALSE(r.growth->settled);
  EXPECT_EQ(r.growth->ended_by, "time limit");
  EXPECT_EQ(r.growth->steps.size(), 1u);
  EXPECT_THAT(to_table(r), testing::HasSubstr("Not settled"));
}

TEST(Growth, EndsWithAllRows) {
  const Recommendation r = grown({.first_size = 350, .subsets = 1, .tolerance = 1e-9});
  EXPECT_EQ(r.growth->ended_by, "all rows");
  EXPECT_EQ(r.growth->steps.back().samples, 700);
  EXPECT_EQ(r.growth->steps.back().optima.size(), 1u);
}

TEST(Growth, TheFirstSubsetIsWhatSamplesDraws) {
  Dataset dataset;
  dataset.name = "drawn";
  dataset.train = many_rows().train;
  const PreparedData drawn = prepare(dataset, {.samples = 60, .seed = 1});
  EXPECT_EQ(subset(many_rows(), 60, 1).train.inputs, drawn.train.inputs);
}

}  // namespace
}  // namespace priorfit

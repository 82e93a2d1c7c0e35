// Samples of growing size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_data.hpp"
#include "search/space.hpp"

namespace priorfit {
using namespace internal;
namespace {

const PreparedData& many_rows() {
  static const PreparedData data = drawn::from_prior(NetworkSpec::uniform(1), {1.6, 0.0}, 0.02, 700, 6, 4, 1);
  return data;
}

Recommendation grown(const GrowthOptions& growth) {
  return recommend(many_rows(), NetworkSpec::uniform(1),
                   {.criterion = "evidence", .rows_used_whole = 100, .growth = growth});
}

TEST(Growth, DoublesUntilThePairStays) {
  const Recommendation r = grown({.first_size = 50, .tolerance = 0.3});
  ASSERT_TRUE(r.continuous()->growth);
  EXPECT_TRUE(r.continuous()->growth->settled);
  const auto& steps = r.continuous()->growth->steps;
  ASSERT_GE(steps.size(), 2u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].samples, Index{50} << i);
    EXPECT_EQ(steps[i].optima.size(), 3u);
    EXPECT_EQ(steps[i].moved.has_value(), i > 0);
  }
  EXPECT_LE(steps.back().spread, 0.3);
  EXPECT_LE(*steps.back().moved, 0.3);
  EXPECT_EQ(r.data.samples, steps.back().samples);
  const Family tied = Family::tied(NetworkSpec::uniform(1), {0.01, 10}, {0, 4});
  EXPECT_LT(internal::family_distance(tied, r.best().start, steps.back().optima[0].start), 0.02);
  EXPECT_THAT(to_table(r), testing::HasSubstr("Settled: the pair moves by less than 0.3"));
}

TEST(Growth, SaysWhenTheTimeIsUp) {
  const Recommendation r = grown({.first_size = 50, .tolerance = 1e-9, .time_limit = 1e-6});
  EXPECT_FALSE(r.continuous()->growth->settled);
  EXPECT_EQ(r.continuous()->growth->ended_by, "time limit");
  EXPECT_EQ(r.continuous()->growth->steps.size(), 1u);
  EXPECT_THAT(to_table(r), testing::HasSubstr("Not settled"));
}

TEST(Growth, EndsWithAllRows) {
  const Recommendation r = grown({.first_size = 350, .subsets = 1, .tolerance = 1e-9});
  EXPECT_EQ(r.continuous()->growth->ended_by, "all rows");
  EXPECT_EQ(r.continuous()->growth->steps.back().samples, 700);
  EXPECT_EQ(r.continuous()->growth->steps.back().optima.size(), 1u);
}

TEST(Growth, AllRowsAreUsedWhereThereAreFew) {
  const Recommendation r =
      recommend(many_rows(), NetworkSpec::uniform(1), {.criterion = "evidence", .risk_samples = 0});
  EXPECT_FALSE(r.continuous()->growth);
  EXPECT_EQ(r.data.samples, 700);
}

}  // namespace
}  // namespace priorfit

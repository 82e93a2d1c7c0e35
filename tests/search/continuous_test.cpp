// A maximum is compared with what was tried on the way to it.
#include "search/continuous.hpp"

#include <cmath>

#include "helpers.hpp"
#include "hills.hpp"

namespace priorfit::internal {
namespace {

const double fifth = std::log(100.0) / 5;  // between the grid's places for σ_w² from 0.1 to 10; the middle one is 1
const Bounds weights{0.1, 10.0}, biases{0.0, 1.0};

TEST(MaximumSearch, LeavesAMaximumBelowTheBestCellOfItsGrid) {
  Hills criterion(Hills::whole, 0.4 * fifth, 0.01);  // the grid's best cell is 1, beside the narrow hill's top
  MaximumSearch search(criterion, Family::tied(criterion.network(), weights, biases), {});
  const SearchOutcome outcome = search.cold();
  EXPECT_NEAR(search.space().to_place(outcome.best.point).start.layers[0].weight_variance, std::exp(0.01), 2e-3);
  EXPECT_GT(outcome.best.value, 2.5);
  ASSERT_EQ(outcome.optima.size(), 2u);  // the maximum that was left is kept
  EXPECT_NEAR(outcome.optima[1].candidate.pair().weight_variance, std::exp(0.4 * fifth), 0.02);
}

TEST(MaximumSearch, StaysAtAMaximumThatNothingTriedExceeds) {
  Hills criterion(Hills::whole, 0.4 * fifth, 0.5 * fifth + 1.0);
  MaximumSearch search(criterion, Family::tied(criterion.network(), weights, biases), {});
  const SearchOutcome outcome = search.cold();
  EXPECT_NEAR(search.space().to_place(outcome.best.point).start.layers[0].weight_variance, std::exp(0.4 * fifth), 0.02);
  EXPECT_EQ(outcome.optima.size(), 1u);
}

TEST(ClimbIfHigher, GoesOnlyFromHigherPlacesOfTheSpace) {
  Hills criterion(Hills::whole, 0.0, 1.0);
  const Family family = Family::tied(criterion.network(), weights, biases);
  const SearchSpace space(family, criterion.nuisance());
  const Place hill{family.at({1.0, 0.0}), 0.1}, above{family.at({std::exp(1.01), 0.0}), 0.1};
  const Maximum found = widen(criterion, space, {.start = hill.start}, 0.1, {});
  EXPECT_FALSE(climb_if_higher(criterion, space, hill, found, {}));
  const auto higher = climb_if_higher(criterion, space, above, found, {});
  ASSERT_TRUE(higher);
  EXPECT_NEAR(space.to_place(higher->point).start.layers[0].weight_variance, std::exp(1.0), 2e-3);
  Place untied = above;
  untied.start.layers[1].weight_variance = 1.0;
  EXPECT_FALSE(climb_if_higher(criterion, space, untied, found, {}));
  const SearchSpace narrower(Family::tied(criterion.network(), {0.1, 2.0}, biases), criterion.nuisance());
  EXPECT_FALSE(climb_if_higher(criterion, narrower, above, found, {}));
}

}  // namespace
}  // namespace priorfit::internal

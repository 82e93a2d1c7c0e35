// Searches on criteria with known optima, without data.
#include "search/grid.hpp"

#include <cmath>

#include "helpers.hpp"
#include "search/continuous.hpp"

namespace priorfit::internal {
namespace {

const NetworkSpec network = NetworkSpec::uniform(1);

/// Best at (1.7, 0), getting worse with the distance in the logarithms; fails beyond σ_w² = 3.
struct Bowl : Criterion {
  int calls = 0;

  std::string_view name() const override { return "bowl"; }
  Score judge(const Initialisation& start, const RunContext&) override {
    ++calls;
    const LayerPrior& first = start.layers.front();
    if (first.weight_variance > 3) return Score::failed("too large");
    const double w = std::log(first.weight_variance / 1.7), b = std::log1p(first.bias_variance / 0.01);
    return Score::of(0.1 + w * w + 0.1 * b * b);
  }
};

void register_bowl() {
  register_criterion({.name = "bowl", .larger_is_better = false, .make = [](const CriterionInputs&) {
                        return std::make_unique<Bowl>();
                      }});
}

TEST(Grid, JudgesEveryCellOnceAndPrefersTheBest) {
  register_bowl();
  Bowl bowl;
  std::vector<Candidate> cells = grid_cells(network, {.weight_variances = {0.5, 1, 2, 4}, .bias_variances = {0, 1}});
  int steps = 0;
  const RunContext context{.progress = [&](const Progress&) { return ++steps > 0; }};
  StepCounter counter(context, cells.size(), "cells");
  judge_cells(cells, bowl, context, counter);
  EXPECT_EQ(bowl.calls, 8);
  EXPECT_EQ(steps, 8);
  EXPECT_EQ(cells[bowl.prefer(cells)].pair(), (LayerPrior{2.0, 0.0}));
  EXPECT_FALSE(cells[6].find("bowl")->ok());
}

TEST(Grid, OutputVariancesAreItsLastDirection) {
  const std::vector<Candidate> cells =
      grid_cells(network, {.weight_variances = {1, 2}, .bias_variances = {0}, .output_weight_variances = {0.1, 0.2}});
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[1].start, Initialisation::with_output(network, {1.0, 0.0}, 0.2));
}

TEST(Grid, KnowsItsEdges) {
  const GridSearch grid{.weight_variances = {1, 2, 3}, .bias_variances = {0, 1}};
  Candidate cell{.start = Initialisation::tied(network, {3.0, 0.0})};
  const std::vector<BoundReached> edges = edges_of(cell, grid);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_TRUE(edges[0].name == "weight_variance" && edges[0].upper && !edges[0].natural);
  EXPECT_TRUE(edges[1].name == "bias_variance" && !edges[1].upper && edges[1].natural);
}

TEST(Refine, FindsWhatLiesBetweenCells) {
  register_bowl();
  Bowl bowl;
  Candidate start{.start = Initialisation::tied(network, {2.0, 0.0})};
  start.set("bowl", bowl.judge(start.start, {}));
  const Candidate best = refine(bowl, Family::tied(network, {0.01, 10}, {0, 4}), start, {});
  EXPECT_NEAR(std::log(best.pair().weight_variance / 1.7), 0.0, 0.1);
  EXPECT_EQ(best.pair().bias_variance, 0.0);
  EXPECT_LT(best.find("bowl")->value(), start.find("bowl")->value());
}

// What stops a search is what its caller sees, not the optimiser's own exception.
TEST(Refine, CancelledEndsAsInterrupted) {
  register_bowl();
  Bowl bowl;
  Candidate start{.start = Initialisation::tied(network, {2.0, 0.0})};
  start.set("bowl", bowl.judge(start.start, {}));
  int left = 4;
  const RunContext context{.progress = [&](const Progress&) { return --left > 0; }};
  test::expect_error(
      ErrorKind::interrupted,
      [&] {
        refine(bowl, Family::tied(network, {0.01, 10}, {0, 4}), start, context);
      },
      "4 of 15 refinements");
}

}  // namespace
}  // namespace priorfit::internal

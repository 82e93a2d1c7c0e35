// Newton's steps within bounds, on quadratic functions whose maximum is known.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "search/local_search.hpp"

namespace priorfit::internal {
namespace {

struct Quadratic {
  Point peak;
  Eigen::MatrixXd curvature;
  int evaluations = 0;

  Objective objective() {
    return [this](const Point& at, Point* gradient) {
      ++evaluations;
      *gradient = curvature * (peak - at);
      return -0.5 * (peak - at).dot(curvature * (peak - at));
    };
  }
};

const Eigen::MatrixXd curvature{{2.0, 0.3, 0.5}, {0.3, 0.4, 0.1}, {0.5, 0.1, 1.0}};

SearchSpace box() {
  return SearchSpace(Family::tied(NetworkSpec::uniform(1), {0.1, 10}, {0.0, 4.0}), {"noise_variance", {1e-4, 1}});
}

Point point_of(const SearchSpace& space, const LayerPrior& pair, double noise) {
  return space.to_point({Initialisation::tied(NetworkSpec::uniform(1), pair), noise});
}

TEST(Polish, TakesOneStepWhenTheCurvatureIsRight) {
  const SearchSpace space = box();
  const Point inside = point_of(space, {2.0, 0.1}, 0.01);
  Quadratic f{inside, curvature};
  const auto found =
      polish(f.objective(), point_of(space, {1.5, 0.2}, 0.03), space, {.curvature = curvature, .gain = 1e-12});
  ASSERT_TRUE(found && found->converged);
  EXPECT_LT((found->point - inside).norm(), 1e-9);
  EXPECT_EQ(f.evaluations, 2);
}

// The constrained maximum is not the unconstrained one clamped: the other coordinates give way.
TEST(Polish, EndsOnABoundWithTheOthersBestThere) {
  const SearchSpace space = box();
  Point beyond = point_of(space, {2.0, 0.1}, 0.01);
  beyond[2] = space.lower(2) - 1.0;
  Quadratic f{beyond, curvature};
  const auto found =
      polish(f.objective(), point_of(space, {1.5, 0.2}, 3e-4), space, {.curvature = curvature, .gain = 1e-12});
  ASSERT_TRUE(found && found->converged);
  const Eigen::Vector2d shift =
      Eigen::Matrix2d(curvature.topLeftCorner<2, 2>()).inverse() * curvature.block<2, 1>(0, 2);
  EXPECT_NEAR(found->point[0], beyond[0] - shift[0], 1e-9);
  EXPECT_NEAR(found->point[1], beyond[1] - shift[1], 1e-9);
  EXPECT_EQ(found->point[2], space.lower(2));
  EXPECT_EQ(f.evaluations, 2);
}

TEST(Polish, LearnsACurvatureThatWasWrong) {
  const SearchSpace space = box();
  const Point inside = point_of(space, {2.0, 0.1}, 0.01);
  Quadratic f{inside, curvature};
  const Eigen::MatrixXd wrong = Eigen::Vector3d(1.0, 1.0, 3.0).asDiagonal();
  const auto found =
      polish(f.objective(), point_of(space, {1.0, 0.5}, 0.1), space, {.curvature = wrong, .gain = 1e-10});
  ASSERT_TRUE(found && found->converged);
  EXPECT_LT((found->point - inside).norm(), 1e-4);
  EXPECT_LE(f.evaluations, 12);
}

TEST(Polish, ShortensItsStepWhereTheFunctionDoesNotExist) {
  const SearchSpace space = box();
  const Point start = point_of(space, {1.0, 0.5}, 0.1);
  const Point inside = point_of(space, {1.2, 0.45}, 0.08);
  Quadratic f{inside, curvature};
  const Objective whole = f.objective();
  const Objective holed = [&](const Point& at, Point* gradient) {
    return (at - start).norm() > 0.4 ? std::nan("") : whole(at, gradient);
  };
  // A curvature far too small sends the first step beyond where the function exists.
  const auto found = polish(holed, start, space, {.curvature = 0.05 * curvature, .gain = 1e-10});
  ASSERT_TRUE(found && found->converged);
  EXPECT_LT((found->point - inside).norm(), 1e-3);
}

}  // namespace
}  // namespace priorfit::internal

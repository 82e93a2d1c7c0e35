// Newton's steps with a curvature that is known from a smaller sample and corrected on the way. NLopt's methods cannot
// be given one; from the same start they took eight gradients where this takes five (docs/decisions/0004).
#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/dense.hpp"
#include "search/local_search.hpp"

namespace priorfit::internal {
namespace {

constexpr int most_halvings = 12;
constexpr double least_curvature = 1e-4;  // per value; less is as good as flat
constexpr double longest_step = 2.0;      // in any coordinate: further away the curvature means nothing

bool pushes_outwards(const SearchSpace& space, const Point& at, const Point& gradient, Index i) {
  return (space.at_lower(at, i) && gradient[i] <= 0) || (space.at_upper(at, i) && gradient[i] >= 0);
}

bool reaches_bound(const SearchSpace& space, const Point& from, const Point& to) {
  for (Index i = 0; i < space.size(); ++i) {
    if (space.is_inside(from, i) && !space.is_inside(to, i)) return true;
  }
  return false;
}

/// Curvature⁻¹ · gradient on the coordinates that are not held; 0 on the others.
Point newton_step(const Eigen::MatrixXd& curvature, const Point& gradient, const std::vector<bool>& held) {
  Eigen::MatrixXd matrix = curvature;
  Point right = gradient;
  for (Index i = 0; i < gradient.size(); ++i) {
    if (!held[std::size_t(i)]) continue;
    matrix.row(i).setZero();
    matrix.col(i).setZero();
    matrix(i, i) = 1.0;
    right[i] = 0.0;
  }
  dense_cholesky(matrix);  // positive_curvature() and learn() keep it positive definite
  return dense_cholesky_solve(matrix, right);
}

/// One that can be stepped with: a direction that is flat or curves upwards gets a small or its mirrored curvature.
Eigen::MatrixXd positive_curvature(const Eigen::MatrixXd& curvature) {
  Eigen::MatrixXd vectors = curvature;
  Vector values;
  if (!curvature.allFinite() || !dense_eigen(vectors, values)) {
    return Eigen::MatrixXd::Identity(curvature.rows(), curvature.cols());
  }
  const Point positive = values.cwiseAbs().cwiseMax(least_curvature);
  return vectors * positive.asDiagonal() * vectors.transpose();
}

/// The maximum of the quadratic model within the bounds: coordinates that would leave them are held there, one after
/// the other. `predicted` receives what the free step would gain.
Point constrained_step(const Eigen::MatrixXd& curvature, const Point& at, const Point& gradient,
                       const SearchSpace& space, double& predicted) {
  std::vector<bool> held;
  for (Index i = 0; i < space.size(); ++i) held.push_back(!space.is_free(i) || pushes_outwards(space, at, gradient, i));
  Point fixed = Point::Zero(space.size());  // how far the held ones have moved
  predicted = 0.5 * gradient.dot(newton_step(curvature, gradient, held));
  for (;;) {
    const Point step = fixed + newton_step(curvature, gradient - curvature * fixed, held);
    Index worst = -1;
    double furthest = 0.0;
    for (Index i = 0; i < space.size(); ++i) {
      const double outside = std::max(space.lower(i) - (at[i] + step[i]), at[i] + step[i] - space.upper(i));
      if (!held[std::size_t(i)] && outside > furthest) furthest = outside, worst = i;
    }
    if (worst < 0) return step;
    held[std::size_t(worst)] = true;
    fixed[worst] = (step[worst] < 0 ? space.lower(worst) : space.upper(worst)) - at[worst];
  }
}

/// BFGS: the curvature that explains the change of the gradient over the last step. Left as it is where the objective
/// curves upwards along the step.
void learn(Eigen::MatrixXd& curvature, const Point& step, const Point& fall) {
  const Point expected = curvature * step;
  const double seen = step.dot(fall), along = step.dot(expected);
  if (!(seen > 1e-10 * std::sqrt(step.squaredNorm() * fall.squaredNorm())) || !(along > 0)) return;
  curvature += fall * fall.transpose() / seen - expected * expected.transpose() / along;
}

}  // namespace

std::optional<LocalSearchResult> polish(const Objective& objective, const Point& start, const SearchSpace& space,
                                        const PolishOptions& options) {
  Eigen::MatrixXd curvature = positive_curvature(options.curvature);
  LocalSearchResult at{space.clamp(start), 0.0, Point::Zero(space.size()), false};
  at.value = objective(at.point, &at.gradient);
  if (!std::isfinite(at.value)) return std::nullopt;
  for (int evaluations = 1; evaluations < options.most_evaluations;) {
    double predicted = 0.0;
    Point step = constrained_step(curvature, at.point, at.gradient, space, predicted);
    if (predicted < options.gain) {
      at.converged = true;
      return at;
    }
    step *= std::min(1.0, longest_step / step.lpNorm<Eigen::Infinity>());
    bool risen = false;
    for (int halving = 0; halving < most_halvings && !risen && evaluations < options.most_evaluations; ++halving) {
      Point gradient = Point::Zero(space.size());
      const Point next = space.clamp(at.point + step);
      const double value = objective(next, &gradient);
      ++evaluations;
      if (!std::isfinite(value)) {
        step *= 0.25;
        continue;
      }
      // A step onto a bound is long and ends where one direction less is left: it teaches little about the others.
      if (!reaches_bound(space, at.point, next)) learn(curvature, next - at.point, at.gradient - gradient);
      risen = value > at.value;
      if (risen) {
        at = {next, value, gradient, false};
      } else {
        step *= 0.5;
      }
    }
    if (!risen) {  // no step improves any more
      at.converged = true;
      return at;
    }
  }
  return at;
}

}  // namespace priorfit::internal

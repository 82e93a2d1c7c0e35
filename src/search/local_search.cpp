#include "search/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <nlopt.hpp>
#include <vector>

namespace priorfit::internal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Everything NLopt's callback needs.
struct Search {
  const Objective& objective;
  const std::vector<Index>& free;
  Point origin;
  std::optional<LocalSearchResult> best = {};
  std::exception_ptr thrown = {};

  double evaluate(const std::vector<double>& t, std::vector<double>& slope) {
    Point point = origin, gradient = Point::Zero(origin.size());
    for (std::size_t i = 0; i < free.size(); ++i) point[free[i]] = t[i];
    const double value = objective(point, slope.empty() ? nullptr : &gradient);
    if (!std::isfinite(value)) return -HUGE_VAL;  // NLopt shortens its step
    if (slope.empty()) return value;
    if (!best || value >= best->value) best = {point, value, gradient, false};
    for (std::size_t i = 0; i < free.size(); ++i) slope[i] = gradient[free[i]];
    return value;
  }
};

double call(const std::vector<double>& t, std::vector<double>& slope, void* data) {
  Search& search = *static_cast<Search*>(data);
  try {
    return search.evaluate(t, slope);
  } catch (...) {
    search.thrown = std::current_exception();  // NLopt would replace it with its own
    throw nlopt::forced_stop();
  }
}

}  // namespace

std::optional<LocalSearchResult> maximize(const Objective& objective, const Point& start, const SearchSpace& space,
                                          const LocalSearchOptions& options) {
  std::vector<Index> free;
  for (Index i = 0; i < space.size(); ++i) {
    if (space.is_free(i)) free.push_back(i);
  }
  Search search{objective, free, space.clamp(start)};
  if (free.empty()) {
    Point gradient = Point::Zero(space.size());
    const double value = objective(search.origin, &gradient);
    if (!std::isfinite(value)) return std::nullopt;
    return LocalSearchResult{search.origin, value, gradient, true};
  }
  std::vector<double> t, lower, upper;
  for (const Index i : free) {
    t.push_back(search.origin[i]);
    lower.push_back(space.lower(i));
    upper.push_back(space.upper(i));
  }
  nlopt::opt optimizer(nlopt::LD_SLSQP, static_cast<unsigned>(free.size()));
  optimizer.set_max_objective(call, &search);
  optimizer.set_lower_bounds(lower);
  optimizer.set_upper_bounds(upper);
  optimizer.set_xtol_abs(options.tolerance);
  optimizer.set_maxeval(options.most_evaluations);
  try {
    double value = 0.0;
    const nlopt::result result = optimizer.optimize(t, value);
    if (search.best) search.best->converged = result > 0 && result != nlopt::MAXEVAL_REACHED;
  } catch (const nlopt::forced_stop&) {
    if (search.thrown) std::rethrow_exception(search.thrown);
  } catch (const nlopt::roundoff_limited&) {
    if (search.best) search.best->converged = true;  // no step improves any more
  } catch (const std::runtime_error&) {
    // NLopt's line search gave up; the best point so far stands, marked as not converged.
  }
  return search.best;
}

Eigen::MatrixXd curvature_at(const Objective& objective, const Point& at, const Point& gradient,
                             const SearchSpace& space, CurvatureOf which) {
  constexpr double step = 1e-2;
  const Index size = space.size();
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(size, size);
  std::vector<bool> wanted;
  for (Index i = 0; i < size; ++i) {
    wanted.push_back(which == CurvatureOf::free ? space.is_free(i) : space.is_inside(at, i));
    if (!wanted.back()) continue;
    Point moved = at, slope = Point::Constant(size, nan);
    const double h = at[i] + step <= space.upper(i) ? step : -step;
    moved[i] += h;
    if (!std::isfinite(objective(moved, &slope))) slope.setConstant(nan);
    curvature.col(i) = (gradient - slope) / h;
  }
  for (Index i = 0; i < size; ++i) {
    if (wanted[static_cast<std::size_t>(i)]) continue;
    curvature.row(i).setZero();
    curvature.col(i).setZero();
  }
  return 0.5 * (curvature + curvature.transpose());
}

Eigen::MatrixXd careful_curvature_at(const Objective& objective, const Point& at, const SearchSpace& space) {
  constexpr double step = 3e-3;
  const Index size = space.size();
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(size, size);
  for (Index i = 0; i < size; ++i) {
    if (!space.is_inside(at, i)) continue;
    Point left = at, right = at, left_slope = Point::Constant(size, nan), right_slope = left_slope;
    left[i] = std::max(at[i] - step, space.lower(i));
    right[i] = std::min(at[i] + step, space.upper(i));
    if (!std::isfinite(objective(left, &left_slope))) left_slope.setConstant(nan);
    if (!std::isfinite(objective(right, &right_slope))) right_slope.setConstant(nan);
    curvature.col(i) = (left_slope - right_slope) / (right[i] - left[i]);
  }
  for (Index i = 0; i < size; ++i) {
    if (!space.is_inside(at, i)) curvature.row(i).setZero();
  }
  return 0.5 * (curvature + curvature.transpose());
}

}  // namespace priorfit::internal

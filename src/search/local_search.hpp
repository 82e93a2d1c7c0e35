// One local maximum of a smooth function of a few coordinates within bounds, in as few evaluations as possible.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "search/space.hpp"

namespace priorfit::internal {

/// The function divided by the number of target values, so that its size does not depend on the sample. `gradient` may
/// be null. Returns NaN where the function does not exist.
using Objective = std::function<double(const Point& at, Point* gradient)>;

struct LocalSearchOptions {
  double tolerance = 1e-4;  // of the place, in each coordinate
  int most_evaluations = 60;
};

struct LocalSearchResult {
  Point point;
  double value = 0.0;
  Point gradient;
  bool converged = false;
};

/// Empty when the objective exists at no point tried.
std::optional<LocalSearchResult> maximize(const Objective& objective, const Point& start, const SearchSpace& space,
                                          const LocalSearchOptions& options);

struct PolishOptions {
  Eigen::MatrixXd curvature;  // minus the expected second derivatives, such as those at the maximum of a smaller sample
  double gain = 0.0;          // ends where Newton's step would gain less
  int most_evaluations = 60;
};

/// The same from a start that is near the maximum, in fewer evaluations.
std::optional<LocalSearchResult> polish(const Objective& objective, const Point& start, const SearchSpace& space,
                                        const PolishOptions& options);

enum class CurvatureOf { free, inside };  // all free coordinates, or only those that lie off their bounds

/// Minus the second derivatives by one-sided differences of gradients, symmetrised; other rows and columns are 0.
/// `gradient` is the gradient at `at`. NaN where the objective does not exist.
Eigen::MatrixXd curvature_at(const Objective& objective, const Point& at, const Point& gradient,
                             const SearchSpace& space, CurvatureOf which);

/// The same of the coordinates off their bounds by two-sided differences: twice the gradients, and exact enough for
/// directions whose curvature is a thousandth of the largest.
Eigen::MatrixXd careful_curvature_at(const Objective& objective, const Point& at, const SearchSpace& space);

}  // namespace priorfit::internal

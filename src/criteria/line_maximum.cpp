#include "criteria/line_maximum.hpp"

#include <cmath>

namespace priorfit::internal {
namespace {

constexpr int most_steps = 80;

/// The zero of the slope between two places where it points at each other: the secant where that shortens the bracket
/// well, else its middle.
double zero_of_slope(const LineFunction& function, double left, double left_slope, double right, double right_slope,
                     double tolerance) {
  for (int i = 0; i < most_steps && right - left > tolerance; ++i) {
    double middle = left + (right - left) * left_slope / (left_slope - right_slope);
    const double margin = 0.05 * (right - left);
    // Every third step halves: a secant alone may creep up from one side.
    if (i % 3 == 2 || !(middle > left + 0.1 * tolerance && middle < right - 0.1 * tolerance))
      middle = 0.5 * (left + right);
    if (i % 3 == 1) middle = std::fmin(std::fmax(middle, left + margin), right - margin);
    double slope = 0.0;
    if (!std::isfinite(function(middle, &slope)) || slope == 0) return middle;
    (slope > 0 ? left : right) = middle;
    (slope > 0 ? left_slope : right_slope) = slope;
  }
  return left_slope < -right_slope ? left : right;
}

/// By values alone, where slopes do not tell.
double golden_section(const LineFunction& function, double left, double right, double tolerance) {
  const double share = 0.5 * (std::sqrt(5.0) - 1);
  double a = right - share * (right - left), b = left + share * (right - left);
  double at_a = function(a, nullptr), at_b = function(b, nullptr);
  while (right - left > tolerance) {
    if (!(at_a < at_b)) {
      right = b, b = a, at_b = at_a;
      a = right - share * (right - left), at_a = function(a, nullptr);
    } else {
      left = a, a = b, at_a = at_b;
      b = left + share * (right - left), at_b = function(b, nullptr);
    }
  }
  return 0.5 * (left + right);
}

}  // namespace

std::optional<double> line_maximum(const LineFunction& function, double lower, double upper,
                                   const LineOptions& options) {
  const double step = (upper - lower) / (options.scan - 1);
  const auto place = [&](int i) { return i + 1 == options.scan ? upper : lower + step * i; };
  int best = -1;
  double value = -HUGE_VAL;
  for (int i = 0; i < options.scan; ++i) {
    const double here = function(place(i), nullptr);
    if (here > value) value = here, best = i;
  }
  if (best < 0) return std::nullopt;
  const double at = place(best);
  double slope = 0.0;
  function(at, &slope);
  const bool at_end = (best == 0 && slope <= 0) || (best + 1 == options.scan && slope >= 0);
  if (at_end || slope == 0) return at;
  const double neighbour = place(slope > 0 ? best + 1 : best - 1);
  double other = 0.0;
  if (!std::isfinite(function(neighbour, &other))) return at;
  const double left = std::fmin(at, neighbour), right = std::fmax(at, neighbour);
  if (slope * other < 0) {
    return zero_of_slope(function, left, slope > 0 ? slope : other, right, slope > 0 ? other : slope,
                         options.tolerance);
  }
  return golden_section(function, left, right, options.tolerance);
}

}  // namespace priorfit::internal

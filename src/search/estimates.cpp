#include "search/estimates.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "linalg/dense.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

constexpr double quantile = 1.959963984540054;  // of the standard normal at 97.5 %
// A variance known no better than this, in its logarithm, is called flat: 95 % would span a factor of more than 2500.
constexpr double flat_deviation = 2.0;

/// Of the coordinates off their bounds.
struct Spread {
  std::vector<Index> interior;
  Point deviation;         // standard deviations in the coordinates
  std::vector<bool> flat;  // by coordinate
  Eigen::MatrixXd flat_directions;
};

/// Inverse of the curvature on the interior coordinates, with directions of no or negative curvature counted as flat.
Spread spread_of(const Eigen::MatrixXd& curvature, const std::vector<Index>& interior) {
  const Index size = curvature.rows(), count = static_cast<Index>(interior.size());
  Spread spread{interior, Point::Zero(size), std::vector<bool>(static_cast<std::size_t>(size), false),
                Eigen::MatrixXd(size, 0)};
  if (interior.empty()) return spread;
  Eigen::MatrixXd part = curvature(interior, interior);
  Vector values;
  if (!part.allFinite() || !dense_eigen(part, values)) {
    for (const Index i : interior) spread.flat[static_cast<std::size_t>(i)] = true;
    return spread;
  }
  const Eigen::MatrixXd& vectors = part;
  const double least = 1.0 / (flat_deviation * flat_deviation);
  for (Index k = 0; k < count && values[k] < least; ++k) {  // ascending
    spread.flat_directions.conservativeResize(size, k + 1);
    spread.flat_directions.col(k).setZero();
    spread.flat_directions(interior, k) = vectors.col(k);
  }
  for (Index i = 0; i < count; ++i) {
    double variance = 0.0;
    for (Index k = 0; k < count; ++k) {
      const double share = vectors(i, k) * vectors(i, k);
      const double curve = values[k];
      if (curve < least && share > 0.1) spread.flat[static_cast<std::size_t>(interior[std::size_t(i)])] = true;
      // A flat direction is named on its own; a coordinate that it hardly moves keeps its interval.
      variance += share / std::max(curve, share < 0.01 ? least : 1e-12);
    }
    spread.deviation[interior[static_cast<std::size_t>(i)]] = std::sqrt(variance);
  }
  return spread;
}

/// "layer1.weight_variance up, output.weight_variance down"
std::string direction_text(const SearchSpace& space, const Eigen::VectorXd& direction) {
  const double largest = direction.cwiseAbs().maxCoeff();
  std::vector<std::string> parts;
  double sign = 0.0;
  for (Index i = 0; i < direction.size(); ++i) {
    if (std::abs(direction[i]) < 0.25 * largest) continue;
    if (sign == 0) sign = direction[i] > 0 ? 1.0 : -1.0;
    parts.push_back(fmt::format("{} {}", space.name(i), sign * direction[i] > 0 ? "up" : "down"));
  }
  return join(parts);
}

}  // namespace

Certainty certainty_at(SmoothCriterion& criterion, const SearchSpace& space, const Maximum& maximum, const Ray* ray) {
  const Point& at = maximum.point;
  std::vector<Index> interior;
  for (Index i = 0; i < space.size(); ++i) {
    if (space.is_inside(at, i)) interior.push_back(i);
  }
  const Place place = space.to_place(at);
  Slopes slopes;
  criterion.evaluate(place.start, place.nuisance, &slopes);
  const Point by_variance = space.slopes_of(slopes) * criterion.values(), by_coordinate = space.chain(slopes, at);
  const bool on_ray = ray && space.at_lower(at, 1);
  const Objective objective = on_ray ? ray_objective(*ray, space) : objective_of(criterion, space);
  // Of one pair the one-sided differences do; more coordinates have stiff and soft directions beside each other.
  const bool one_pair = space.family().kind() == FamilyKind::tied;
  const Eigen::MatrixXd curvature =
      criterion.values() * (one_pair ? curvature_at(objective, at, by_coordinate, space, CurvatureOf::inside)
                                     : careful_curvature_at(objective, at, space));
  const Spread spread = spread_of(curvature, interior);

  Certainty certainty{.estimates = {}, .at_bound = {}, .flat_directions = {}, .flat = spread.flat_directions};
  for (Index i = 0; i < space.size(); ++i) {
    Estimate estimate{.name = space.name(i), .value = space.value(at, i), .slope = by_variance[i]};
    if (space.is_inside(at, i)) {
      // Coordinates are log(σ² + offset), intervals in log σ².
      const double stretch = (estimate.value + space.offset(i)) / estimate.value;
      const double half_width = quantile * stretch * spread.deviation[i];
      estimate.flat = spread.flat[static_cast<std::size_t>(i)] || half_width > quantile * flat_deviation;
      if (!estimate.flat) {
        estimate.interval = Interval{estimate.value * std::exp(-half_width), estimate.value * std::exp(half_width)};
      }
    } else if (space.is_free(i)) {
      const bool upper = space.at_upper(at, i);
      certainty.at_bound.push_back(
          {estimate.name, estimate.value, upper, !upper && space.is_natural(i), by_variance[i]});
    }
    certainty.estimates.push_back(estimate);
  }
  for (Index k = 0; k < spread.flat_directions.cols(); ++k) {
    certainty.flat_directions.push_back(direction_text(space, spread.flat_directions.col(k)));
  }
  return certainty;
}

Point nearest_to_tied(const SearchSpace& space, const Maximum& maximum, const Eigen::MatrixXd& flat) {
  if (flat.cols() == 0) return maximum.point;
  // Tied points: weights a, biases b in every coordinate. Least squares over a, b and the way along the flat directions
  // of the distance in the coordinates that a flat direction moves.
  const Index size = space.nuisance();
  Eigen::MatrixXd system(size, flat.cols() + 2);
  system.leftCols(flat.cols()) = flat.topRows(size);
  for (Index i = 0; i < size; ++i) {
    const bool weight = space.family().coordinates()[static_cast<std::size_t>(i)].variance == Family::Variance::weight;
    system(i, flat.cols()) = weight ? -1.0 : 0.0;
    system(i, flat.cols() + 1) = weight ? 0.0 : -1.0;
  }
  const Vector solution = dense_least_squares(std::move(system), -maximum.point.head(size));
  return space.clamp(maximum.point + flat * solution.head(flat.cols()));
}

}  // namespace priorfit::internal

#include "search/space.hpp"

#include <algorithm>
#include <cmath>

namespace priorfit::internal {
namespace {

// Closer to a bound than this, in the coordinates, is on it.
constexpr double bound_width = 1e-7;
// For the logarithm of a noise that is fixed at 0; the model gets the 0 back.
constexpr double least = 1e-300;

double offset_of(const Family::Coordinate& coordinate) {
  return coordinate.variance == Family::Variance::bias ? bias_offset : 0.0;
}

}  // namespace

SearchSpace::SearchSpace(const Family& family, const Nuisance& nuisance) : family_(family) {
  for (const Family::Coordinate& coordinate : family.coordinates()) {
    names_.push_back(coordinate.name);
    bounds_.push_back(coordinate.bounds);
    free_.push_back(coordinate.bounds.lower < coordinate.bounds.upper);
  }
  names_.push_back(nuisance.name);
  bounds_.push_back(nuisance.bounds);
  free_.push_back(!nuisance.fixed);
  offset_ = Point::Zero(size());
  for (Index i = 0; i < this->nuisance(); ++i)
    offset_[i] = offset_of(family.coordinates()[static_cast<std::size_t>(i)]);
  place_bounds();
}

void SearchSpace::place_bounds() {
  lower_.resize(size());
  upper_.resize(size());
  for (Index i = 0; i < size(); ++i) {
    lower_[i] = std::log(std::max(bounds(i).lower + offset_[i], least));
    upper_[i] = std::log(std::max(bounds(i).upper + offset_[i], least));
  }
}

void SearchSpace::set_nuisance_offset(double offset) {
  offset_[nuisance()] = is_free(nuisance()) ? offset : 0.0;
  place_bounds();
}

Point SearchSpace::to_point(const Place& place) const {
  const std::vector<double> values = family_.nearest_values(place.start);
  Point point(size());
  for (Index i = 0; i < nuisance(); ++i) point[i] = values[static_cast<std::size_t>(i)];
  point[nuisance()] = place.nuisance;
  return (point + offset_).cwiseMax(least).array().log();
}

double SearchSpace::value(const Point& point, Index i) const {
  if (at_lower(point, i)) return bounds(i).lower;
  if (at_upper(point, i)) return bounds(i).upper;
  return std::clamp(std::exp(point[i]) - offset_[i], bounds(i).lower, bounds(i).upper);
}

Place SearchSpace::to_place(const Point& point) const {
  std::vector<double> values;
  for (Index i = 0; i < nuisance(); ++i) values.push_back(value(point, i));
  return {family_.at(values), value(point, nuisance())};
}

bool SearchSpace::at_lower(const Point& point, Index i) const { return point[i] <= lower_[i] + bound_width; }
bool SearchSpace::at_upper(const Point& point, Index i) const { return point[i] >= upper_[i] - bound_width; }

bool SearchSpace::is_natural(Index i) const {
  return i < nuisance() && bounds(i).lower == 0 &&
         family_.coordinates()[static_cast<std::size_t>(i)].variance == Family::Variance::bias;
}

Point SearchSpace::slopes_of(const Slopes& slopes) const {
  Point sums = Point::Zero(size());
  for (Index i = 0; i < nuisance(); ++i) {
    const Family::Coordinate& coordinate = family_.coordinates()[static_cast<std::size_t>(i)];
    for (Index l = coordinate.first_layer; l <= coordinate.last_layer; ++l) {
      const LayerSlopes& layer = slopes.layers[static_cast<std::size_t>(l)];
      sums[i] += coordinate.variance == Family::Variance::weight ? layer.by_weight_variance : layer.by_bias_variance;
    }
  }
  sums[nuisance()] = slopes.nuisance;
  return sums;
}

Point SearchSpace::chain(const Slopes& slopes, const Point& at) const {
  Point chained = slopes_of(slopes);
  for (Index i = 0; i < size(); ++i) chained[i] *= value(at, i) + offset_[i];
  return chained;
}

double family_distance(const Family& family, const Initialisation& a, const Initialisation& b) {
  const std::vector<double> from = family.nearest_values(a), to = family.nearest_values(b);
  double largest = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double offset = offset_of(family.coordinates()[i]);
    largest = std::max(largest, std::abs(std::log((from[i] + offset) / (to[i] + offset))));
  }
  return largest;
}

}  // namespace priorfit::internal

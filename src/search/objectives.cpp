#include "search/objectives.hpp"

#include <cmath>
#include <limits>

namespace priorfit::internal {
namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

/// A slope that overflowed leads a search to points that are no numbers; such a place is one that cannot be judged.
double unless_lost(double value, const Point* gradient) { return gradient && !gradient->allFinite() ? nowhere : value; }

}  // namespace

Objective objective_of(SmoothCriterion& criterion, const SearchSpace& space) {
  return [&criterion, &space](const Point& at, Point* gradient) {
    if (!at.allFinite()) return nowhere;
    const Place place = space.to_place(at);
    Slopes slopes;
    const double value = criterion.evaluate(place.start, place.nuisance, gradient ? &slopes : nullptr);
    if (gradient && std::isfinite(value)) *gradient = space.chain(slopes, at);
    return unless_lost(value, gradient);
  };
}

Objective ray_objective(const Ray& ray, const SearchSpace& space) {
  return [&ray, &space](const Point& at, Point* gradient) {
    if (!at.allFinite()) return nowhere;
    const Place place = space.to_place(at);
    const double scale = place.start.layers.front().weight_variance / ray.start().layers.front().weight_variance;
    const Ray::Value value = ray.at(scale, place.nuisance);
    if (gradient) {
      const Index noise = space.nuisance();
      *gradient = Point::Zero(space.size());
      (*gradient)[0] = value.by_log_scale;
      // d/d log(n + ν) of what is known by log n.
      (*gradient)[noise] =
          place.nuisance > 0 ? value.by_log_nuisance * (1 + space.offset(noise) / place.nuisance) : 0.0;
    }
    return unless_lost(value.value, gradient);
  };
}

}  // namespace priorfit::internal

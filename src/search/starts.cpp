#include "search/starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace priorfit::internal {
namespace {

constexpr std::size_t most_starts = 4;
constexpr int promising_biases = 5;

struct Node {
  Point point;
  double value;
};

/// The grid's points of one coordinate: midpoints of equal parts; a bias also tries its bounds, where its best value
/// often lies.
std::vector<double> places_of(const SearchSpace& space, Index i, int count, bool with_ends) {
  if (!space.is_free(i)) return {space.lower(i)};
  std::vector<double> places;
  for (int k = 0; k < count; ++k) {
    const double share = with_ends ? double(k) / (count - 1) : (k + 0.5) / count;
    places.push_back(space.lower(i) + share * (space.upper(i) - space.lower(i)));
  }
  return places;
}

/// The local maxima over the nuisance at one start, by one ray.
void add_ray_maxima(SmoothCriterion& criterion, const SearchSpace& space, const Initialisation& start,
                    std::vector<Node>& nodes) {
  if (!criterion.is_worth_trying(start)) return;
  const std::unique_ptr<Ray> ray = criterion.ray(start);
  if (!ray) return;
  constexpr int scan = 17;  // a factor of 3.2 between noises of the usual bounds
  const Index noise = space.nuisance();
  std::vector<Node> along;
  for (int i = 0; i < scan; ++i) {
    Point point = space.to_point({start, 1.0});
    point[noise] = space.lower(noise) + (space.upper(noise) - space.lower(noise)) * i / (scan - 1);
    const double value = ray->at(1.0, space.value(point, noise)).value;
    along.push_back({point, std::isfinite(value) ? value : -HUGE_VAL});
  }
  for (std::size_t i = 0; i < scan; ++i) {
    const double value = along[i].value;
    const bool highest = (i == 0 || value >= along[i - 1].value) && (i + 1 == scan || value > along[i + 1].value);
    if (highest && std::isfinite(value)) nodes.push_back(along[i]);
  }
}

}  // namespace

std::vector<Point> choose_starts(SmoothCriterion& criterion, const SearchSpace& space) {
  const bool rays = criterion.rays_pay();
  const Index noise = space.nuisance();
  const std::array<std::vector<double>, 3> grid = {
      places_of(space, 0, 5, false), places_of(space, 1, rays ? 5 : 3, true), places_of(space, noise, 4, false)};
  Point spacing = Point::Zero(space.size());
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i].size() > 1) spacing[i == 2 ? noise : Index(i)] = grid[i][1] - grid[i][0];
  }
  std::vector<Node> nodes;
  const auto try_pair = [&](double w, double b) {
    Point point(space.size());
    point << w, b, grid[2].front();
    if (rays && space.is_free(noise)) return add_ray_maxima(criterion, space, space.to_place(point).start, nodes);
    for (const double n : grid[2]) {
      point[noise] = n;
      const Place place = space.to_place(point);
      const double value = criterion.evaluate(place.start, place.nuisance, nullptr);
      if (std::isfinite(value)) nodes.push_back({point, value});
    }
  };
  for (const double w : grid[0]) {
    for (const double b : grid[1]) try_pair(w, b);
  }
  std::vector<double> biases;
  for (const double place : places_of(space, 1, promising_biases, true)) {
    Point point(space.size());
    point << space.lower(0), place, space.lower(noise);
    biases.push_back(space.value(point, 1));
  }
  for (const LayerPrior& pair : criterion.promising_pairs(space.bounds(0), biases)) {
    const Point point = space.to_point({Initialisation::tied(criterion.network(), pair), 1.0});
    try_pair(point[0], point[1]);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.value > b.value; });
  // Not further apart than points of the grid that touch, in every coordinate.
  const auto are_neighbours = [&](const Node& a, const Node& b) {
    return ((a.point - b.point).array().abs() <= 1.001 * spacing.array()).all();
  };
  std::vector<Point> starts;
  for (auto node = nodes.begin(); node != nodes.end() && starts.size() < most_starts; ++node) {
    // Every neighbour that is better comes before this one.
    if (std::none_of(nodes.begin(), node, [&](const Node& better) { return are_neighbours(better, *node); })) {
      starts.push_back(node->point);
    }
  }
  return starts;
}

}  // namespace priorfit::internal

#include "recommend/starts.hpp"

#include <algorithm>
#include <cmath>

namespace priorfit {
namespace {

constexpr std::size_t most_starts = 4;
constexpr int points_along[3] = {5, 3, 4};  // σ_w², σ_b², σ_n²

/// Midpoints of equal parts; σ_b² also tries its bounds, where its best value often lies.
double coordinate(const SearchSpace& space, int parameter, int i) {
  if (!space.is_free(parameter)) return space.lower(parameter);
  const int count = points_along[parameter];
  const double share = parameter == 1 ? double(i) / (count - 1) : (i + 0.5) / count;
  return space.lower(parameter) + share * (space.upper(parameter) - space.lower(parameter));
}

struct Node {
  std::array<int, 3> place;
  Point point;
  double value;
};

bool are_neighbours(const Node& a, const Node& b) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(a.place[i] - b.place[i]) > 1) return false;
  }
  return true;
}

}  // namespace

std::vector<Point> choose_starts(const Objective& objective, const SearchSpace& space) {
  std::vector<Node> nodes;
  const auto count = [&](int parameter) { return space.is_free(parameter) ? points_along[parameter] : 1; };
  for (int w = 0; w < count(0); ++w) {
    for (int b = 0; b < count(1); ++b) {
      for (int n = 0; n < count(2); ++n) {
        const Point point(coordinate(space, 0, w), coordinate(space, 1, b), coordinate(space, 2, n));
        const double value = objective(point, nullptr);
        if (std::isfinite(value)) nodes.push_back({{w, b, n}, point, value});
      }
    }
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.value > b.value; });
  std::vector<Point> starts;
  for (auto node = nodes.begin(); node != nodes.end() && starts.size() < most_starts; ++node) {
    // Every neighbour that is better comes before this one.
    if (std::none_of(nodes.begin(), node, [&](const Node& better) { return are_neighbours(better, *node); })) {
      starts.push_back(node->point);
    }
  }
  return starts;
}

}  // namespace priorfit

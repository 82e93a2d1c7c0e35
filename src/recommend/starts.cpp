#include "recommend/starts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace priorfit {
namespace {

constexpr std::size_t most_starts = 4;

/// The grid's points of one parameter: midpoints of equal parts; σ_b² also tries its bounds, where its best value often
/// lies.
std::vector<double> coordinates(const SearchSpace& space, int parameter, int count) {
  if (!space.is_free(parameter)) return {space.lower(parameter)};
  std::vector<double> places;
  for (int i = 0; i < count; ++i) {
    const double share = parameter == 1 ? double(i) / (count - 1) : (i + 0.5) / count;
    places.push_back(space.lower(parameter) + share * (space.upper(parameter) - space.lower(parameter)));
  }
  return places;
}

struct Node {
  Point point;
  double value;
};

/// The local maxima over σ_n² at one pair, by one reduction.
void add_noise_maxima(EvidenceObjective& objective, const SearchSpace& space, const LayerPrior& prior,
                      std::vector<Node>& nodes) {
  if (!objective.is_worth_trying(prior)) return;
  const std::optional<EvidenceProfile> profile = objective.profile(prior);
  if (!profile) return;
  constexpr int scan = 17;  // a factor of 3.2 between noises of the usual bounds
  std::vector<Node> along;
  for (int i = 0; i < scan; ++i) {
    Point point = space.to_point({prior, 1.0});
    point[2] = space.lower(2) + (space.upper(2) - space.lower(2)) * i / (scan - 1);
    const double noise = space.to_model(point).noise_variance;
    const double value = profile->at(prior.weight_variance, noise).log_marginal_likelihood / objective.values();
    along.push_back({point, std::isfinite(value) ? value : -HUGE_VAL});
  }
  for (int i = 0; i < scan; ++i) {
    const double value = along[i].value;
    const bool highest = (i == 0 || value >= along[i - 1].value) && (i + 1 == scan || value > along[i + 1].value);
    if (highest && std::isfinite(value)) nodes.push_back(along[i]);
  }
}

}  // namespace

std::vector<Point> choose_starts(EvidenceObjective& objective, const SearchSpace& space,
                                 const StartCandidates& candidates) {
  std::array<std::vector<double>, 3> grid;
  Point spacing = Point::Zero();
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    grid[at] = coordinates(space, i, candidates.along[at]);
    if (grid[at].size() > 1) spacing[i] = grid[at][1] - grid[at][0];
  }
  std::vector<Node> nodes;
  const auto try_pair = [&](double w, double b) {
    const LayerPrior prior = space.to_model({w, b, grid[2].front()}).prior;
    if (candidates.costly_covariance && space.is_free(2)) return add_noise_maxima(objective, space, prior, nodes);
    for (const double n : grid[2]) {
      const Point point(w, b, n);
      const double value = objective(point, nullptr);
      if (std::isfinite(value)) nodes.push_back({point, value});
    }
  };
  for (const double w : grid[0]) {
    for (const double b : grid[1]) try_pair(w, b);
  }
  for (const LayerPrior& pair : candidates.pairs) {
    const Point point = space.to_point({pair, 1.0});
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

}  // namespace priorfit

#include <Eigen/Eigenvalues>
#include <cmath>

#include "recommend/parts.hpp"

namespace priorfit {
namespace {

constexpr double quantile = 1.959963984540054;  // of the standard normal at 97.5 %
// A parameter known no better than this, in its logarithm, is called flat: 95 % would span a factor of more than 2500.
constexpr double flat_deviation = 2.0;

struct Deviations {
  Eigen::Vector3d of = Eigen::Vector3d::Zero();  // standard deviations in the coordinates
  std::array<bool, 3> flat{};
};

/// Inverse of the curvature on the given coordinates, with directions of no or negative curvature counted as flat.
Deviations deviations(const Eigen::Matrix3d& curvature, const std::vector<int>& interior) {
  const auto count = static_cast<Index>(interior.size());
  Eigen::MatrixXd part(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) part(i, j) = curvature(interior[std::size_t(i)], interior[std::size_t(j)]);
  }
  Deviations result;
  if (interior.empty()) return result;  // every parameter is fixed or at a bound; Eigen's solver takes no empty matrix
  if (!part.allFinite()) {
    for (const int i : interior) result.flat[std::size_t(i)] = true;
    return result;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(part);
  const double least = 1.0 / (flat_deviation * flat_deviation);
  for (Index i = 0; i < count; ++i) {
    double variance = 0.0;
    for (Index k = 0; k < count; ++k) {
      const double share = solver.eigenvectors()(i, k) * solver.eigenvectors()(i, k);
      const double curve = solver.eigenvalues()[k];
      if (curve < least && share > 0.1) result.flat[std::size_t(interior[std::size_t(i)])] = true;
      variance += share / std::max(curve, 1e-12);
    }
    result.of[interior[std::size_t(i)]] = std::sqrt(variance);
  }
  return result;
}

}  // namespace

void fill_intervals(Recommendation& result, SearchOutcome& outcome, ContinuousSearch& search) {
  const SearchSpace& space = search.space();
  const Point& at = outcome.best.point;
  std::vector<int> interior;
  for (int i = 0; i < 3; ++i) {
    if (space.is_inside(at, i)) interior.push_back(i);
  }
  EvidenceObjective& direct = search.objective();
  const double values = direct.values();
  const Point slope = space.chain(outcome.gradient, space.to_model(at)) / values;
  // With σ_b² = 0 the ray's own derivatives serve, at no cost.
  const Objective objective = outcome.ray && space.at_lower(at, 1) ? profile_objective(*outcome.ray, space, values)
                                                                   : Objective(std::ref(direct));
  const Eigen::Matrix3d curvature = values * curvature_at(objective, at, slope, space, CurvatureOf::inside);
  const Deviations deviation = deviations(curvature, interior);
  const ModelPoint model = space.to_model(at);
  const double place[3] = {model.prior.weight_variance, model.prior.bias_variance, model.noise_variance};
  for (const int i : interior) {
    const auto parameter = static_cast<std::size_t>(i);
    // Coordinates are log(σ² + offset), intervals in log σ².
    const double stretch = (place[i] + space.offset(i)) / place[i];
    const double half_width = quantile * stretch * deviation.of[i];
    if (deviation.flat[parameter] || half_width > quantile * flat_deviation) {
      result.flat.push_back(static_cast<Parameter>(i));
    } else {
      result.intervals[parameter] = Interval{place[i] * std::exp(-half_width), place[i] * std::exp(half_width)};
    }
  }
}

void fill_bounds(Recommendation& result, const SearchOutcome& outcome, const SearchSpace& space) {
  const double slopes[3] = {outcome.gradient.by_weight_variance, outcome.gradient.by_bias_variance,
                            outcome.gradient.by_noise_variance};
  for (int i = 0; i < 3; ++i) {
    if (!space.is_free(i)) continue;
    const bool lower = space.at_lower(outcome.best.point, i), upper = space.at_upper(outcome.best.point, i);
    if (!lower && !upper) continue;
    const bool natural = i == 1 && lower && space.bounds(1).lower == 0;
    result.at_bound.push_back({static_cast<Parameter>(i), upper, natural, slopes[i]});
  }
}

}  // namespace priorfit

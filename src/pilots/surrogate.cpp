#include "pilots/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense.hpp"
#include "model/bias_offset.hpp"

namespace priorfit::internal {
namespace {

const Eigen::Vector3d plain_lengths(1.5, 2.0, 2.0);
constexpr double constant_variance = 25;  // of the free constant: vague
constexpr double most_above = 1.0;        // the least log error

}  // namespace

Eigen::Vector3d place_of(const Initialisation& start) {
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  const std::size_t hidden = start.layers.size() - 1;
  for (std::size_t l = 0; l < hidden; ++l) {
    place[0] += std::log(start.layers[l].weight_variance) / static_cast<double>(hidden);
    place[1] += std::log(start.layers[l].bias_variance + bias_offset) / static_cast<double>(hidden);
  }
  place[2] = std::log(start.layers.back().weight_variance);
  return place;
}

Surrogate::Surrogate(const std::vector<Initialisation>& starts, const std::vector<double>& prior_mean,
                     const Smoothness& smoothness)
    : prior_mean_(Vector::Zero(static_cast<Index>(starts.size()))) {
  const auto count = static_cast<Index>(starts.size());
  if (!prior_mean.empty()) prior_mean_ = Eigen::Map<const Vector>(prior_mean.data(), count);
  Eigen::Vector3d lengths = plain_lengths;
  if (smoothness.by_depth) lengths[0] /= std::sqrt(static_cast<double>(starts.front().layers.size() - 1));
  covariance_.resize(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) {
      const Eigen::Vector3d apart =
          (place_of(starts[static_cast<std::size_t>(i)]) - place_of(starts[static_cast<std::size_t>(j)]))
              .cwiseQuotient(lengths);
      covariance_(i, j) = smoothness.amplitude * std::exp(-0.5 * apart.squaredNorm()) + constant_variance;
    }
    covariance_(i, i) += 1e-8;
  }
}

void Surrogate::observe(std::size_t start, double log_error, double variance) {
  seen_.push_back(start);
  values_.push_back(log_error);
  variances_.push_back(variance);
}

Eigen::MatrixXd Surrogate::posterior(Vector& mean) const {
  mean = prior_mean_;
  if (seen_.empty()) return covariance_;
  const auto count = static_cast<Index>(seen_.size());
  Eigen::MatrixXd between(count, covariance_.cols()), factor(count, count);
  Vector residual(count);
  const double least = *std::min_element(values_.begin(), values_.end());
  const double most = std::isfinite(least) ? least + most_above : 0.0;
  for (Index i = 0; i < count; ++i) {
    const auto row = static_cast<Index>(seen_[static_cast<std::size_t>(i)]);
    between.row(i) = covariance_.row(row);
    for (Index j = 0; j < count; ++j) {
      factor(i, j) = covariance_(row, static_cast<Index>(seen_[static_cast<std::size_t>(j)]));
    }
    factor(i, i) += variances_[static_cast<std::size_t>(i)];
    residual[i] = std::min(most, values_[static_cast<std::size_t>(i)]) - prior_mean_[row];
  }
  dense_cholesky(factor);
  const auto lower = factor.triangularView<Eigen::Lower>();
  lower.solveInPlace(between);
  lower.solveInPlace(residual);
  mean += between.transpose() * residual;
  return covariance_ - between.transpose() * between;
}

Surrogate::Belief Surrogate::belief() const {
  Belief belief;
  const Eigen::MatrixXd covariance = posterior(belief.mean);
  belief.deviation = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  return belief;
}

Surrogate::Belief Surrogate::belief_relative_to(std::size_t start) const {
  Belief belief;
  const Eigen::MatrixXd covariance = posterior(belief.mean);
  const auto s = static_cast<Index>(start);
  belief.mean.array() -= belief.mean[s];
  belief.deviation.resize(belief.mean.size());
  for (Index i = 0; i < belief.mean.size(); ++i) {
    belief.deviation[i] = std::sqrt(std::max(0.0, covariance(i, i) + covariance(s, s) - 2 * covariance(i, s)));
  }
  return belief;
}

std::size_t Surrogate::next() const {
  // Relative to one start, so that the unknown constant takes no part.
  const Belief belief = belief_relative_to(seen_.empty() ? 0 : seen_.front());
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < belief.mean.size(); ++i) {
    const auto start = static_cast<std::size_t>(i);
    if (std::find(seen_.begin(), seen_.end(), start) != seen_.end()) continue;
    const double bound = belief.mean[i] - belief.deviation[i];
    if (bound < least) least = bound, best = start;
  }
  return best;
}

}  // namespace priorfit::internal

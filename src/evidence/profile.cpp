#include "priorfit/profile.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/implementation.hpp"
#include "linalg/band.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit {

/// A(w, n) = s S + β 1 1ᵀ + n I with s = (w/w₀)^power and β = w b₀/w₀, rotated by the Q of S = Q B Qᵀ.
struct EvidenceProfile::Implementation {
  LayerPrior prior;    // (w₀, b₀)
  double power;        // 0: the scale is fixed
  bool separate_bias;  // whether the bias of the output layer is in β 1 1ᵀ instead of in S
  Band band;
  Eigen::MatrixXd targets;  // Qᵀ Y
  Eigen::MatrixXd ones;     // Qᵀ 1, N × 1
};

EvidenceProfile::EvidenceProfile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
EvidenceProfile::EvidenceProfile(EvidenceProfile&&) noexcept = default;
EvidenceProfile& EvidenceProfile::operator=(EvidenceProfile&&) noexcept = default;
EvidenceProfile::~EvidenceProfile() = default;

const LayerPrior& EvidenceProfile::prior() const { return implementation_->prior; }
bool EvidenceProfile::scales() const { return implementation_->power > 0; }

LayerPrior EvidenceProfile::prior_at(double weight_variance) const {
  const LayerPrior& reduced = prior();
  return {weight_variance, reduced.bias_variance * (weight_variance / reduced.weight_variance)};
}

bool EvidenceProfile::fits(Index samples) {
  return static_cast<double>(samples) * static_cast<double>(samples) * 8.0 <
         0.5 * static_cast<double>(available_memory());
}

EvidenceProfile EvidenceEngine::profile(const LayerPrior& prior) {
  prior.validate();
  const NetworkSpec& network = implementation_->factorization.network();
  // M4: ReLU is homogeneous, so K scales with the L + 1 weight layers; with a bias only one layer's can be split off.
  const bool scales = network.activation.is_homogeneous() && (prior.bias_variance == 0 || network.depth() == 1);
  return EvidenceProfile(implementation_->reduce(LayerPriors(network, prior), prior,
                                                 scales ? static_cast<double>(network.depth() + 1) : 0.0));
}

EvidenceProfile EvidenceEngine::profile(const std::vector<LayerPrior>& layers) {
  check_layers(layers, implementation_->factorization.network());
  return EvidenceProfile(implementation_->reduce(layers, layers.front(), 0.0));
}

std::unique_ptr<EvidenceProfile::Implementation> EvidenceEngine::Implementation::reduce(const LayerPriors& priors,
                                                                                        const LayerPrior& prior,
                                                                                        double power) {
  const ThreadScope scope(threads_for(targets.rows()));
  const Index samples = targets.rows();
  const bool separate_bias = power > 0 && prior.bias_variance > 0;
  Eigen::MatrixXd lower(samples, samples);
  factorization.dense_covariance(priors, lower.data());
  if (separate_bias) lower.array() -= prior.bias_variance;
  const BandReduction reduction(std::move(lower));
  auto made = std::make_unique<EvidenceProfile::Implementation>(EvidenceProfile::Implementation{
      prior, power, separate_bias, reduction.band(), targets, Eigen::MatrixXd::Ones(samples, 1)});
  reduction.rotate(made->targets);
  reduction.rotate(made->ones);
  return made;
}

/// M3 and its derivatives by Sherman and Morrison on the band factor of M = s B + n I.
EvidenceProfile::Point EvidenceProfile::at(double weight_variance, double noise_variance) const {
  const Implementation& p = *implementation_;
  const double ratio = weight_variance / p.prior.weight_variance;
  if (p.power == 0 && ratio != 1) {
    throw Error(ErrorKind::usage, fmt::format("weight_variance is {}: this profile holds only that of {}",
                                              weight_variance, p.prior.weight_variance));
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const BandFactor factor(p.band, std::pow(ratio, p.power), noise_variance);
  if (!factor.ok()) return {nan, nan, nan};
  const auto samples = static_cast<double>(p.targets.rows()), outputs = static_cast<double>(p.targets.cols());
  const double beta = p.separate_bias ? p.prior.bias_variance * ratio : 0.0;

  Eigen::MatrixXd alpha = p.targets;  // becomes A⁻¹ Y
  factor.solve(alpha);
  double log_determinant = factor.log_determinant(), trace = factor.inverse_trace(), ones_inverse_ones = 0.0;
  if (beta > 0) {
    Eigen::MatrixXd solved = p.ones;
    factor.solve(solved);
    const double product = p.ones.col(0).dot(solved.col(0)), denominator = 1 + beta * product;
    const Eigen::RowVectorXd projected = p.ones.col(0).transpose() * alpha;
    alpha.noalias() -= (beta / denominator) * solved * projected;
    trace -= beta / denominator * solved.squaredNorm();
    log_determinant += std::log(denominator);
    ones_inverse_ones = product / denominator;
  }
  const double quadratic = p.targets.cwiseProduct(alpha).sum(), alpha_norm = alpha.squaredNorm();
  const double alpha_ones = (p.ones.col(0).transpose() * alpha).squaredNorm();
  const double n = noise_variance;
  // ∂A/∂log w = power (A − n I − β 1 1ᵀ) + β 1 1ᵀ
  const double trace_by_weight = p.power * (samples - n * trace) + (1 - p.power) * beta * ones_inverse_ones;
  const double quadratic_by_weight = p.power * (quadratic - n * alpha_norm) + (1 - p.power) * beta * alpha_ones;
  return {-0.5 * (quadratic + outputs * (log_determinant + samples * std::log(2 * std::numbers::pi))),
          p.power > 0 ? -0.5 * (outputs * trace_by_weight - quadratic_by_weight) : 0.0,
          -0.5 * n * (outputs * trace - alpha_norm)};
}

}  // namespace priorfit

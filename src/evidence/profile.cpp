#include "priorfit/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/implementation.hpp"
#include "linalg/band.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit {
using namespace internal;

/// A(t, n) = t^power S + t β 1 1ᵀ + n I for all variances multiplied by t, rotated by the Q of S = Q B Qᵀ.
struct EvidenceProfile::Implementation {
  std::vector<LayerPrior> layers;
  double power;     // 0: the scale is fixed, and β is part of S
  double separate;  // β, the bias variance of the output layer, which grows more slowly than the rest
  Band band;
  Eigen::MatrixXd targets;  // Qᵀ Y
  Eigen::MatrixXd ones;     // Qᵀ 1, N × 1
};

namespace {

/// M4: such activations are homogeneous, so that the covariance of the hidden layers grows as a power of the factor
/// where no bias is added on the way; that of the first layer grows with the inputs' part.
bool scales_with(const std::vector<LayerPrior>& layers, const Activation& activation) {
  return activation.is_homogeneous() && std::all_of(layers.begin() + 1, layers.end() - 1,
                                                    [](const LayerPrior& layer) { return layer.bias_variance == 0; });
}

}  // namespace

EvidenceProfile::EvidenceProfile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
EvidenceProfile::EvidenceProfile(EvidenceProfile&&) noexcept = default;
EvidenceProfile& EvidenceProfile::operator=(EvidenceProfile&&) noexcept = default;
EvidenceProfile::~EvidenceProfile() = default;

const std::vector<LayerPrior>& EvidenceProfile::layers() const { return implementation_->layers; }
bool EvidenceProfile::scales() const { return implementation_->power > 0; }

std::vector<LayerPrior> EvidenceProfile::layers_at(double scale) const {
  std::vector<LayerPrior> scaled = layers();
  for (LayerPrior& layer : scaled) {
    layer.weight_variance *= scale;
    layer.bias_variance *= scale;
  }
  return scaled;
}

bool EvidenceProfile::fits(Index samples) {
  return static_cast<double>(samples) * static_cast<double>(samples) * 8.0 <
         0.5 * static_cast<double>(available_memory());
}

EvidenceProfile EvidenceEngine::profile(const LayerPrior& prior) {
  prior.validate();
  return profile(layer_priors(prior, network()));
}

EvidenceProfile EvidenceEngine::profile(const std::vector<LayerPrior>& layers) {
  check_layers(layers, network());
  if (!implementation_) throw Error(ErrorKind::usage, "profile() needs the whole covariance in this process");
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  const Eigen::MatrixXd targets = implementation_->targets;
  const Index samples = targets.rows();
  const double power = scales_with(layers, network().activation) ? static_cast<double>(layers.size()) : 0.0;
  const double separate = power > 0 ? layers.back().bias_variance : 0.0;
  Eigen::MatrixXd lower(samples, samples);
  implementation_->factorization.dense_covariance(layers, lower.data());
  if (separate > 0) lower.array() -= separate;
  const BandReduction reduction(std::move(lower));
  auto made = std::make_unique<EvidenceProfile::Implementation>(EvidenceProfile::Implementation{
      layers, power, separate, reduction.band(), targets, Eigen::MatrixXd::Ones(samples, 1)});
  reduction.rotate(made->targets);
  reduction.rotate(made->ones);
  return EvidenceProfile(std::move(made));
}

/// M3 and its derivatives by Sherman and Morrison on the band factor of M = s B + n I.
EvidenceProfile::Point EvidenceProfile::at_scale(double scale, double noise_variance) const {
  const Implementation& p = *implementation_;
  if (p.power == 0 && scale != 1) {
    throw Error(ErrorKind::usage, fmt::format("scale is {}: this profile holds only 1, the reduced layers", scale));
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const BandFactor factor(p.band, std::pow(scale, p.power), noise_variance);
  if (!factor.ok()) return {nan, nan, nan};
  const auto samples = static_cast<double>(p.targets.rows()), outputs = static_cast<double>(p.targets.cols());
  const double beta = p.separate * scale;

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
  // ∂A/∂log t = power (A − n I − β 1 1ᵀ) + β 1 1ᵀ
  const double trace_by_scale = p.power * (samples - n * trace) + (1 - p.power) * beta * ones_inverse_ones;
  const double quadratic_by_scale = p.power * (quadratic - n * alpha_norm) + (1 - p.power) * beta * alpha_ones;
  return {-0.5 * (quadratic + outputs * (log_determinant + samples * std::log(2 * std::numbers::pi))),
          p.power > 0 ? -0.5 * (outputs * trace_by_scale - quadratic_by_scale) : 0.0,
          -0.5 * n * (outputs * trace - alpha_norm)};
}

}  // namespace priorfit

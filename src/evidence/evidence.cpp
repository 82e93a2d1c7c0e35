#include "priorfit/evidence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/elsewhere.hpp"
#include "evidence/implementation.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
using namespace internal;

void EvidenceOptions::validate() const {
  if (!(largest_relative_jitter >= 0 && std::isfinite(largest_relative_jitter))) {
    throw Error(ErrorKind::usage, fmt::format("largest_relative_jitter is {}: it must be finite and at least 0",
                                              largest_relative_jitter));
  }
}

/// M3 from the factor; leaves L⁻¹ Y in `whitened`.
double EvidenceEngine::Implementation::log_marginal_likelihood() {
  const Index samples = targets.rows(), outputs = targets.cols();
  whitened.resize(samples, outputs);
  whitened = targets;
  solve_lower(factorization.lower(), whitened.data(), outputs);
  return -0.5 * (whitened.squaredNorm() + static_cast<double>(outputs) * log_determinant(factorization.lower()) +
                 static_cast<double>(samples * outputs) * std::log(2 * std::numbers::pi));
}

EvidenceEngine::EvidenceEngine(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                               const EvidenceOptions& options)
    : network_(network) {
  check_samples(inputs, targets);
  if (options.elsewhere) {
    network.validate();
    options.validate();
    elsewhere_ = options.elsewhere->make(inputs, targets, network, options);
    return;
  }
  implementation_.reset(new Implementation{targets, {inputs, network, options}, {}});
}

EvidenceEngine::~EvidenceEngine() = default;
EvidenceEngine::EvidenceEngine(EvidenceEngine&&) noexcept = default;
EvidenceEngine& EvidenceEngine::operator=(EvidenceEngine&&) noexcept = default;

Evidence EvidenceEngine::Implementation::evaluate(const LayerPriors& priors, double noise_variance) {
  Evidence result = factorization.factor(priors, noise_variance);
  if (result.ok()) {
    result.log_marginal_likelihood = log_marginal_likelihood();
    if (!std::isfinite(result.log_marginal_likelihood)) result.status = EvidenceStatus::not_finite;
  }
  if (!result.ok()) result.log_marginal_likelihood = std::numeric_limits<double>::quiet_NaN();
  result.per_value = result.log_marginal_likelihood / static_cast<double>(targets.size());
  return result;
}

Evidence EvidenceEngine::evaluate(const LayerPrior& prior, double noise_variance) {
  prior.validate();
  return evaluate(layer_priors(prior, network()), noise_variance);
}

Evidence EvidenceEngine::evaluate(const std::vector<LayerPrior>& layers, double noise_variance) {
  check_layers(layers, network());
  if (elsewhere_) return elsewhere_->evaluate(layers, noise_variance);
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  return implementation_->evaluate(layers, noise_variance);
}

Evidence EvidenceEngine::evaluate_with_leave_one_out(const LayerPrior& prior, double noise_variance) {
  prior.validate();
  return evaluate_with_leave_one_out(layer_priors(prior, network()), noise_variance);
}

Evidence EvidenceEngine::evaluate_with_leave_one_out(const std::vector<LayerPrior>& layers, double noise_variance) {
  check_layers(layers, network());
  if (elsewhere_) return elsewhere_->with_leave_one_out(layers, noise_variance);
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  Evidence result = implementation_->evaluate(layers, noise_variance);
  if (result.ok()) result.leave_one_out = implementation_->consume_for_leave_one_out();
  return result;
}

EvidenceGradient EvidenceEngine::evaluate_with_gradient(const LayerPrior& prior, double noise_variance) {
  prior.validate();
  return evaluate_with_gradient(layer_priors(prior, network()), noise_variance);
}

EvidenceGradient EvidenceEngine::evaluate_with_gradient(const std::vector<LayerPrior>& layers, double noise_variance) {
  check_layers(layers, network());
  if (elsewhere_) return elsewhere_->with_gradient(layers, noise_variance);
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  EvidenceGradient result{.evidence = evaluate(layers, noise_variance)};
  if (result.ok()) implementation_->consume_for_gradient(layers, result);
  return result;
}

const NetworkSpec& EvidenceEngine::network() const { return network_; }

bool EvidenceEngine::holds_gram() const { return implementation_ && implementation_->factorization.holds_gram(); }

bool EvidenceEngine::has_profiles() const {
  return implementation_ && EvidenceProfile::fits(implementation_->targets.rows());
}

std::uint64_t EvidenceEngine::workspace_bytes(Index samples, bool gram_held) {
  return PackedSymmetric::bytes(samples) * (gram_held ? 2 : 1);
}

}  // namespace priorfit

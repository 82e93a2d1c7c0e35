#include "priorfit/evidence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/implementation.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"

namespace priorfit {

std::string_view to_string(EvidenceStatus status) {
  switch (status) {
    case EvidenceStatus::ok: return "ok";
    case EvidenceStatus::jittered: return "jittered";
    case EvidenceStatus::not_positive_definite: return "not_positive_definite";
    case EvidenceStatus::not_finite: return "not_finite";
  }
  return "unknown";
}

std::string Evidence::remark() const {
  switch (status) {
    case EvidenceStatus::ok: return {};
    case EvidenceStatus::jittered:
      return fmt::format("not positive definite at pivot {}, noise {:g}; factored with jitter {:.3g}", failed_pivot,
                         noise_variance, jitter);
    case EvidenceStatus::not_positive_definite:
      return fmt::format("not positive definite at pivot {}, noise {:g}", failed_pivot, noise_variance);
    case EvidenceStatus::not_finite:
      return failed_layer == 0 ? "the covariance is too large or too small for double precision"
                               : VarianceFailure{failed_layer, 0, failed_variance}.text();
  }
  return {};
}

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
                               const EvidenceOptions& options) {
  check_samples(inputs, targets);
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
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  return implementation_->evaluate(layers, noise_variance);
}

Evidence EvidenceEngine::evaluate_with_leave_one_out(const LayerPrior& prior, double noise_variance) {
  prior.validate();
  return evaluate_with_leave_one_out(layer_priors(prior, network()), noise_variance);
}

Evidence EvidenceEngine::evaluate_with_leave_one_out(const std::vector<LayerPrior>& layers, double noise_variance) {
  check_layers(layers, network());
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
  const ThreadScope scope(threads_for(implementation_->targets.rows()));
  EvidenceGradient result{.evidence = evaluate(layers, noise_variance)};
  if (result.ok()) implementation_->consume_for_gradient(layers, result);
  return result;
}

const NetworkSpec& EvidenceEngine::network() const { return implementation_->factorization.network(); }

bool EvidenceEngine::holds_gram() const { return implementation_->factorization.holds_gram(); }

std::uint64_t EvidenceEngine::workspace_bytes(Index samples, bool gram_held) {
  return PackedSymmetric::bytes(samples) * (gram_held ? 2 : 1);
}

}  // namespace priorfit

#include "priorfit/evidence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "kernel/layers.hpp"
#include "linalg/packed.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit {
namespace {

constexpr double smallest_relative_jitter = 1e-14;

void check_finite(const char* name, const MatrixView& matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (!std::isfinite(matrix(i, j))) {
        throw Error(ErrorKind::data, fmt::format("{}({}, {}) is {}: it must be finite", name, i, j, matrix(i, j)));
      }
    }
  }
}

bool fits_twice(Index samples) {
  // A fifth is left to the system and to the data itself.
  return EvidenceEngine::workspace_bytes(samples, true) <= available_memory() / 5 * 4;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

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
    case EvidenceStatus::not_finite: return "the covariance is too large or too small for double precision";
  }
  return {};
}

void EvidenceOptions::validate() const {
  if (!(largest_relative_jitter >= 0 && std::isfinite(largest_relative_jitter))) {
    throw Error(ErrorKind::usage, fmt::format("largest_relative_jitter is {}: it must be finite and at least 0",
                                              largest_relative_jitter));
  }
}

struct EvidenceEngine::Implementation {
  MatrixView inputs;   // samples × features
  MatrixView targets;  // samples × outputs
  NetworkSpec network;
  EvidenceOptions options;
  PackedSymmetric work;
  std::optional<PackedSymmetric> gram;
  std::vector<double> whitened;  // L⁻¹ Y, column-major

  Implementation(const MatrixView& x, const MatrixView& y, const NetworkSpec& spec, const EvidenceOptions& settings)
      : inputs(x), targets(y), network(spec), options(settings), work(x.rows()) {
    const bool hold = settings.gram == GramStorage::held ||
                      (settings.gram == GramStorage::automatic && fits_twice(x.rows()));
    if (!hold) return;
    gram.emplace(x.rows());
    packed_gram(inputs, *gram);
  }

  /// work = K + ridge I. Returns the mean variance.
  double fill(const Prior& prior, double ridge) {
    if (!gram) packed_gram(inputs, work);
    const PackedSymmetric& source = gram ? *gram : work;
    const LayerVariances variances(network, prior, inputs.cols(), gram_diagonal(source));
    packed_covariance(CovariancePass(network, prior, inputs.cols()), variances, ridge, source, work);
    double sum = 0.0;
    for (Index i = 0; i < variances.size(); ++i) sum += variances.output(i);
    return sum / static_cast<double>(variances.size());
  }

  /// Factors K + noise I, with the least jitter of the ladder that makes it succeed.
  void factor(const Prior& prior, Evidence& result) {
    const double mean_variance = fill(prior, result.noise_variance);
    if (!std::isfinite(mean_variance)) {
      result.status = EvidenceStatus::not_finite;
      return;
    }
    result.failed_pivot = packed_cholesky(work);
    if (result.failed_pivot == 0) return;
    for (double relative = smallest_relative_jitter; relative <= options.largest_relative_jitter * (1 + 1e-9);
         relative *= 10) {
      const double jitter = relative * mean_variance;
      fill(prior, result.noise_variance + jitter);
      if (packed_cholesky(work) == 0) {
        result.status = EvidenceStatus::jittered;
        result.jitter = jitter;
        return;
      }
    }
    result.status = EvidenceStatus::not_positive_definite;
  }

  /// M3 from the factor in `work`.
  double log_marginal_likelihood() {
    const Index samples = inputs.rows(), outputs = targets.cols();
    whitened.resize(static_cast<std::size_t>(samples * outputs));
    Eigen::Map<Eigen::MatrixXd>(whitened.data(), samples, outputs) = targets;
    solve_lower(work, whitened.data(), outputs);
    const double values = static_cast<double>(samples * outputs);
    return -0.5 * (sum_of_squares(whitened) + static_cast<double>(outputs) * log_determinant(work) +
                   values * std::log(2 * std::numbers::pi));
  }
};

EvidenceEngine::EvidenceEngine(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                               const EvidenceOptions& options) {
  network.validate();
  options.validate();
  if (inputs.rows() == 0 || inputs.cols() == 0 || targets.cols() == 0) {
    throw Error(ErrorKind::usage, fmt::format("inputs are {} × {} and targets {} × {}: none may be 0", inputs.rows(),
                                              inputs.cols(), targets.rows(), targets.cols()));
  }
  if (inputs.rows() != targets.rows()) {
    throw Error(ErrorKind::usage,
                fmt::format("inputs have {} rows and targets {}: they must agree", inputs.rows(), targets.rows()));
  }
  check_finite("inputs", inputs);
  check_finite("targets", targets);
  implementation_ = std::make_unique<Implementation>(inputs, targets, network, options);
}

EvidenceEngine::~EvidenceEngine() = default;
EvidenceEngine::EvidenceEngine(EvidenceEngine&&) noexcept = default;
EvidenceEngine& EvidenceEngine::operator=(EvidenceEngine&&) noexcept = default;

Evidence EvidenceEngine::evaluate(const Prior& prior, double noise_variance) {
  prior.validate();
  if (!(noise_variance >= 0 && std::isfinite(noise_variance))) {
    throw Error(ErrorKind::usage, fmt::format("noise_variance is {}: it must be finite and at least 0",
                                              noise_variance));
  }
  Evidence result;
  result.noise_variance = noise_variance;
  implementation_->factor(prior, result);
  if (result.ok()) {
    result.log_marginal_likelihood = implementation_->log_marginal_likelihood();
    if (!std::isfinite(result.log_marginal_likelihood)) result.status = EvidenceStatus::not_finite;
  }
  if (!result.ok()) result.log_marginal_likelihood = std::numeric_limits<double>::quiet_NaN();
  result.per_value = result.log_marginal_likelihood /
                     static_cast<double>(implementation_->inputs.rows() * implementation_->targets.cols());
  return result;
}

bool EvidenceEngine::holds_gram() const { return implementation_->gram.has_value(); }

std::uint64_t EvidenceEngine::workspace_bytes(Index samples, bool gram_held) {
  return PackedSymmetric::bytes(samples) * (gram_held ? 2 : 1);
}

}  // namespace priorfit

#include "evidence/factorization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/covariance.hpp"
#include "linalg/fits.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

constexpr double smallest_relative_jitter = 1e-14;

bool fits_twice(Index samples) {
  // A fifth is left to the system and to the data itself.
  return EvidenceEngine::workspace_bytes(samples, true) <= available_memory() / 5 * 4;
}

}  // namespace

Index check_memory(Index samples, Index matrices) {
  require_memory("the covariance", samples, [&](Index n) {
    return static_cast<double>(PackedSymmetric::bytes(n)) * static_cast<double>(matrices);
  });
  return samples;
}

double evidence_bytes(Index samples, Index outputs, Index depth) {
  const double rows = static_cast<double>(samples);
  const double columns = static_cast<double>(gradient_columns * (1 + depth) + 2 * outputs + 2 * depth + 8);
  constexpr double rounding = 8e6;  // to large pages, and what the allocator keeps
  return static_cast<double>(PackedSymmetric::bytes(samples)) + rows * columns * sizeof(double) + rounding;
}

void check_finite(const char* name, const MatrixView& matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (!std::isfinite(matrix(i, j))) {
        throw Error(ErrorKind::data, fmt::format("{}({}, {}) is {}: it must be finite", name, i, j, matrix(i, j)));
      }
    }
  }
}

namespace {

/// Squares of targets, over noises down to 1e-10 and more, must stay within what double precision holds.
void check_size(const MatrixView& targets) {
  constexpr double largest = 1e100, smallest = 1e-100;
  const double size = targets.cwiseAbs().maxCoeff();
  if (size == 0 || (size <= largest && size >= smallest)) return;
  throw Error(
      ErrorKind::data,
      fmt::format("the largest target is {:.3g} in size, and their squares leave the range of double precision: "
                  "multiply the targets by {:.0e}, or standardise them",
                  size, std::pow(10.0, -std::round(std::log10(size)))));
}

}  // namespace

void check_samples(const MatrixView& inputs, const MatrixView& targets) {
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
  check_size(targets);
}

void check_noise(double noise_variance) {
  if (!(noise_variance >= 0 && std::isfinite(noise_variance))) {
    throw Error(ErrorKind::usage,
                fmt::format("noise_variance is {}: it must be finite and at least 0", noise_variance));
  }
}

CovarianceFactorization::CovarianceFactorization(const MatrixView& inputs, const NetworkSpec& network,
                                                 const EvidenceOptions& options)
    : inputs_(inputs), network_(network), options_(options), work_(check_memory(inputs.rows(), 1)) {
  network.validate();
  options.validate();
  const bool hold =
      options.gram == GramStorage::held || (options.gram == GramStorage::automatic && fits_twice(inputs.rows()));
  if (!hold) return;
  gram_.emplace(inputs.rows());
  packed_gram(inputs_, *gram_);
}

/// work = K + ridge I. Returns the mean variance, NaN if a variance exploded or vanished on its way.
double CovarianceFactorization::fill(const LayerPriors& priors, double ridge) {
  held_.reset();
  if (!gram_) packed_gram(inputs_, work_);
  const PackedSymmetric& source = gram_ ? *gram_ : work_;
  squared_norms_ = gram_diagonal(source);
  const LayerVariances variances(network_, priors, inputs_.cols(), squared_norms_);
  failure_ = variances.failure();
  if (failure_) return std::nan("");
  packed_covariance(network_, priors, inputs_.cols(), variances, ridge, source, work_);
  double sum = 0.0;
  for (Index i = 0; i < variances.size(); ++i) sum += variances.output(i);
  return sum / static_cast<double>(variances.size());
}

PackedSymmetric& CovarianceFactorization::consume() {
  held_.reset();
  return work_;
}

void CovarianceFactorization::dense_covariance(const LayerPriors& priors, double* out) {
  fill(priors, 0.0);
  if (failure_) throw Error(ErrorKind::numerical, failure_->text());
  const Index size = work_.size();
  for (Index c = 0; c < work_.columns(); ++c) {
    const auto [trailing, leading] = work_.runs(c);
    const double* values = work_.values();
    std::copy_n(values + leading.offset, leading.length, out + leading.column * size + leading.first_row);
    // Entries (first_row + k, column) with first_row + k <= column: the lower triangle holds them transposed.
    for (Index k = 0; k < trailing.length; ++k) {
      out[(trailing.first_row + k) * size + trailing.column] = values[trailing.offset + k];
    }
  }
}

Evidence CovarianceFactorization::factor(const LayerPriors& priors, double noise_variance) {
  check_noise(noise_variance);
  if (held_ && held_->priors == priors && held_->result.noise_variance == noise_variance) return held_->result;
  const Evidence result = factor_anew(priors, noise_variance);
  if (result.ok()) held_ = Held{priors, result};
  return result;
}

Evidence CovarianceFactorization::factor_anew(const LayerPriors& priors, double noise_variance) {
  return factor_with_jitter(
      noise_variance, options_.largest_relative_jitter,
      [&](double ridge, std::optional<VarianceFailure>& failure) {
        const double mean = fill(priors, ridge);
        failure = failure_;
        return mean;
      },
      [&] { return packed_cholesky(work_); });
}

Evidence factor_with_jitter(double noise_variance, double largest_relative_jitter,
                            const std::function<double(double, std::optional<VarianceFailure>&)>& fill,
                            const std::function<Index()>& factor) {
  Evidence result;
  result.noise_variance = noise_variance;
  std::optional<VarianceFailure> failure;
  const double mean_variance = fill(noise_variance, failure);
  if (!std::isfinite(mean_variance)) {
    result.status = EvidenceStatus::not_finite;
    if (failure) {
      result.failed_layer = failure->layer;
      result.failed_variance = failure->variance;
    }
    return result;
  }
  result.failed_pivot = factor();
  if (result.failed_pivot == 0) return result;
  const double largest = largest_relative_jitter * (1 + 1e-9);
  for (double relative = smallest_relative_jitter; relative <= largest; relative *= 10) {
    const double jitter = relative * mean_variance;
    fill(noise_variance + jitter, failure);
    if (factor() == 0) {
      result.status = EvidenceStatus::jittered;
      result.jitter = jitter;
      return result;
    }
  }
  result.status = EvidenceStatus::not_positive_definite;
  return result;
}

}  // namespace priorfit::internal

#include "evidence/factorization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/covariance.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit {
namespace {

constexpr double smallest_relative_jitter = 1e-14;

bool fits_twice(Index samples) {
  // A fifth is left to the system and to the data itself.
  return EvidenceEngine::workspace_bytes(samples, true) <= available_memory() / 5 * 4;
}

}  // namespace

Index check_memory(Index samples, Index matrices) {
  reserve_blas_buffers(1);
  const std::uint64_t needed = PackedSymmetric::bytes(samples) * static_cast<std::uint64_t>(matrices);
  const std::uint64_t there = available_memory();
  const std::uint64_t usable = there / 10 * 9;  // the rest is for vectors, threads and the system
  if (needed <= usable) return samples;
  const double values =
      static_cast<double>(usable / sizeof(double)) / static_cast<double>(matrices);  // N (N + 1)/2 of them
  const auto largest = static_cast<Index>((std::sqrt(1 + 8 * values) - 1) / 2);
  throw Error(
      ErrorKind::resource,
      fmt::format(
          "the covariance of {} samples needs {:.2f} GB ({} bytes) and {:.2f} GB are free; the most that fit are "
          "{}: use samples={} or fewer",
          samples, static_cast<double>(needed) / 1e9, needed, static_cast<double>(there) / 1e9, largest, largest));
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
  Evidence result;
  result.noise_variance = noise_variance;
  const double mean_variance = fill(priors, noise_variance);
  if (!std::isfinite(mean_variance)) {
    result.status = EvidenceStatus::not_finite;
    if (failure_) {
      result.failed_layer = failure_->layer;
      result.failed_variance = failure_->variance;
    }
    return result;
  }
  result.failed_pivot = packed_cholesky(work_);
  if (result.failed_pivot == 0) return result;
  const double largest = options_.largest_relative_jitter * (1 + 1e-9);
  for (double relative = smallest_relative_jitter; relative <= largest; relative *= 10) {
    const double jitter = relative * mean_variance;
    fill(priors, noise_variance + jitter);
    if (packed_cholesky(work_) == 0) {
      result.status = EvidenceStatus::jittered;
      result.jitter = jitter;
      return result;
    }
  }
  result.status = EvidenceStatus::not_positive_definite;
  return result;
}

}  // namespace priorfit

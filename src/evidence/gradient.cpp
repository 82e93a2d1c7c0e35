// Derivatives of the evidence and leave-one-out densities (M3) from A⁻¹ in packed storage.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "evidence/implementation.hpp"
#include "kernel/adjoints.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr Index columns_at_once = gradient_columns;  // of a Gram matrix that is not held

Vector diagonal_of(const PackedSymmetric& matrix) {
  Vector diagonal(matrix.size());
  for (Index i = 0; i < matrix.size(); ++i) diagonal[i] = matrix(i, i);
  return diagonal;
}

/// The adjoints of Σ_{i>j} W_ij K_ij for a W whose diagonal is 0.
class OffDiagonalAdjoints {
 public:
  OffDiagonalAdjoints(const CovarianceFactorization& source, const internal::AdjointPass& pass)
      : source_(source), pass_(pass) {}

  internal::Adjoints total(const PackedSymmetric& coefficients) {
    const Index depth = source_.network().depth();
    sums_.assign(static_cast<std::size_t>(shares(coefficients.size(), depth)), {depth, coefficients.size()});
    if (source_.gram()) {
      add_columns(coefficients, 0, coefficients.columns(), source_.gram()->values());
    } else {
      std::vector<double> block(static_cast<std::size_t>(columns_at_once * coefficients.stride()));
      for (Index first = 0; first < coefficients.columns(); first += columns_at_once) {
        const Index count = std::min(columns_at_once, coefficients.columns() - first);
        packed_gram_columns(source_.inputs(), coefficients, first, count, block.data());
        add_columns(coefficients, first, count, block.data());
      }
    }
    for (std::size_t share = 1; share < sums_.size(); ++share) sums_[0] += sums_[share];
    return std::move(sums_[0]);
  }

 private:
  /// Packed columns are dealt out to so many sums, which are added in order, so that the result does not depend on the
  /// number of threads. Each holds depth × samples values: together little beside the matrix, unless that is small.
  static Index shares(Index samples, Index depth) {
    return std::clamp<Index>(samples / (16 * depth), 8, columns_at_once);
  }

  /// gram: packed columns [first, first + count)
  void add_columns(const PackedSymmetric& coefficients, Index first, Index count, const double* gram) {
    const double* shifted = gram - first * coefficients.stride();
    const auto step = static_cast<Index>(sums_.size());
    LoopError error;
#pragma omp parallel for schedule(dynamic)
    for (Index share = 0; share < step; ++share) {
      for (Index c = first + share; c < first + count; c += step) {
        for (const PackedRun& run : coefficients.runs(c)) {
          error.guard([&] {
            pass_.run(shifted + run.offset, coefficients.values() + run.offset, run.length, run.first_row, run.column,
                      sums_[static_cast<std::size_t>(share)]);
          });
        }
      }
    }
    error.rethrow();
  }

  const CovarianceFactorization& source_;
  const internal::AdjointPass& pass_;
  std::vector<internal::Adjoints> sums_;
};

}  // namespace

namespace internal {

double leave_one_out_density(const Eigen::MatrixXd& alpha, const Vector& inverse_diagonal) {
  double sum = 0.0;
  for (Index i = 0; i < alpha.rows(); ++i) {
    const double precision = inverse_diagonal[i];
    sum += static_cast<double>(alpha.cols()) * std::log(precision / (2 * std::numbers::pi)) -
           alpha.row(i).squaredNorm() / precision;
  }
  return 0.5 * sum;
}

}  // namespace internal

double EvidenceEngine::Implementation::consume_for_leave_one_out() {
  solve_lower_transposed(factorization.lower(), whitened.data(), whitened.cols());
  PackedSymmetric& work = factorization.consume();
  invert_lower(work);
  return leave_one_out_density(whitened, inverse_diagonal(work));
}

/// ½ tr[W ∂A], W = Σ_c α_c α_cᵀ − C A⁻¹.
void EvidenceEngine::Implementation::consume_for_gradient(const LayerPriors& priors, EvidenceGradient& result) {
  solve_lower_transposed(factorization.lower(), whitened.data(), whitened.cols());
  PackedSymmetric& work = factorization.consume();
  packed_inverse(work);
  const Vector inverse_diagonal = diagonal_of(work);
  result.inverse_trace = inverse_diagonal.sum();
  result.evidence.leave_one_out = leave_one_out_density(whitened, inverse_diagonal);
  add_outer_products(whitened.data(), whitened.cols(), -static_cast<double>(whitened.cols()), work);

  const Vector diagonal = 0.5 * diagonal_of(work);
  for (Index i = 0; i < work.size(); ++i) work(i, i) = 0.0;
  const Index features = factorization.inputs().cols();
  const LayerVariances variances(factorization.network(), priors, features, factorization.squared_norms());
  const internal::AdjointPass pass(factorization.network(), priors, features, variances);
  complete_gradient(pass, factorization.squared_norms(), diagonal, OffDiagonalAdjoints(factorization, pass).total(work),
                    result);
}

void internal::complete_gradient(const AdjointPass& pass, const Vector& squared_norms, const Vector& diagonal,
                                 Adjoints adjoints, EvidenceGradient& result) {
  pass.run_diagonal(squared_norms, diagonal, adjoints);
  result.by_weight_variance = result.by_bias_variance = 0.0;
  for (std::size_t l = 0; l < adjoints.weights.size(); ++l) {
    result.layers.push_back({adjoints.weights[l], adjoints.biases[l]});
    result.by_weight_variance += adjoints.weights[l];
    result.by_bias_variance += adjoints.biases[l];
  }
  result.by_noise_variance = diagonal.sum();
}

}  // namespace priorfit

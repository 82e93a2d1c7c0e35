// Derivatives of the evidence and leave-one-out densities (M3) from A⁻¹ in packed storage.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "evidence/implementation.hpp"
#include "kernel/sensitivities.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
namespace {

// Gram columns recomputed at a time when the Gram matrix is not held: enough for BLAS-3, little beside the matrix.
constexpr Index columns_at_once = 128;

/// Σ over samples and outputs of log N(y_i; μ_i, s_i²), μ_i = y_i − α_i/[A⁻¹]_ii, s_i² = 1/[A⁻¹]_ii.
double leave_one_out_density(const Eigen::MatrixXd& alpha, const Vector& inverse_diagonal) {
  double sum = 0.0;
  for (Index i = 0; i < alpha.rows(); ++i) {
    const double precision = inverse_diagonal[i];
    sum += static_cast<double>(alpha.cols()) * std::log(precision / (2 * std::numbers::pi)) -
           alpha.row(i).squaredNorm() / precision;
  }
  return 0.5 * sum;
}

Vector diagonal_of(const PackedSymmetric& matrix) {
  Vector diagonal(matrix.size());
  for (Index i = 0; i < matrix.size(); ++i) diagonal[i] = matrix(i, i);
  return diagonal;
}

/// Σ_{i>j} W_ij ∂K_ij for a W whose diagonal is 0. Each packed column has its own sum and these are added in order, so
/// that the result does not depend on the number of threads.
class OffDiagonalSums {
 public:
  OffDiagonalSums(const CovarianceFactorization& source, const LayerPrior& prior, const LayerSensitivities& slopes)
      : source_(source),
        slopes_(slopes),
        pass_(source.network(), prior, source.inputs().cols()),
        variances_(source.network(), prior, source.inputs().cols(), source.squared_norms()) {}

  GradientSums total(const PackedSymmetric& coefficients) {
    pass_.prepare(variances_);
    sums_.assign(static_cast<std::size_t>(coefficients.columns()), {});
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
    GradientSums total;
    for (const GradientSums& sum : sums_) {
      total.weight += sum.weight;
      total.bias += sum.bias;
    }
    return total;
  }

 private:
  /// gram: packed columns [first, first + count)
  void add_columns(const PackedSymmetric& coefficients, Index first, Index count, const double* gram) {
    const double* shifted = gram - first * coefficients.stride();
    LoopError error;
#pragma omp parallel for schedule(static)
    for (Index c = first; c < first + count; ++c) {
      for (const PackedRun& run : coefficients.runs(c)) {
        error.guard([&] {
          const GradientSums sum = pass_.run(shifted + run.offset, coefficients.values() + run.offset, run.length,
                                             variances_, slopes_, run.first_row, run.column);
          sums_[static_cast<std::size_t>(c)].weight += sum.weight;
          sums_[static_cast<std::size_t>(c)].bias += sum.bias;
        });
      }
    }
    error.rethrow();
  }

  const CovarianceFactorization& source_;
  const LayerSensitivities& slopes_;
  SensitivityPass pass_;
  LayerVariances variances_;
  std::vector<GradientSums> sums_;
};

}  // namespace

double EvidenceEngine::Implementation::consume_for_leave_one_out() {
  solve_lower_transposed(factorization.lower(), whitened.data(), whitened.cols());
  PackedSymmetric& work = factorization.consume();
  invert_lower(work);
  return leave_one_out_density(whitened, inverse_diagonal(work));
}

/// ½ tr[W ∂A], W = Σ_c α_c α_cᵀ − C A⁻¹.
void EvidenceEngine::Implementation::consume_for_gradient(const LayerPrior& prior, EvidenceGradient& result) {
  solve_lower_transposed(factorization.lower(), whitened.data(), whitened.cols());
  PackedSymmetric& work = factorization.consume();
  packed_inverse(work);
  const Vector inverse_diagonal = diagonal_of(work);
  result.inverse_trace = inverse_diagonal.sum();
  result.evidence.leave_one_out = leave_one_out_density(whitened, inverse_diagonal);
  add_outer_products(whitened.data(), whitened.cols(), -static_cast<double>(whitened.cols()), work);

  const Vector diagonal = diagonal_of(work);
  for (Index i = 0; i < work.size(); ++i) work(i, i) = 0.0;
  const LayerSensitivities slopes(factorization.network(), prior, factorization.inputs().cols(),
                                  factorization.squared_norms());
  const GradientSums off_diagonal = OffDiagonalSums(factorization, prior, slopes).total(work);
  double weight = 0.0, bias = 0.0;
  for (Index i = 0; i < work.size(); ++i) {
    weight += diagonal[i] * slopes.output_by_weight(i);
    bias += diagonal[i] * slopes.output_by_bias(i);
  }
  result.by_weight_variance = off_diagonal.weight + 0.5 * weight;
  result.by_bias_variance = off_diagonal.bias + 0.5 * bias;
  result.by_noise_variance = 0.5 * diagonal.sum();
}

}  // namespace priorfit

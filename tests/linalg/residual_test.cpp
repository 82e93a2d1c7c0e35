// How far the factors are from the matrix they factor: LAPACK's own measure and its own threshold.
#include <cblas.h>
#include <gtest/gtest.h>
#include <lapack.h>

#include <cmath>
#include <limits>

#include "linalg/packed.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr double threshold = 30.0;  // LAPACK's test programs allow as much
const Index sizes[] = {1, 2, 3, 5, 10, 50, 500, 2000};

using Full = Eigen::MatrixXd;  // column-major, both triangles

/// X Xᵀ/N + I with normal X: condition number below 10.
Full well_conditioned(Index size) {
  Full x(size, size), product = Full::Identity(size, size);
  RandomStream(3, RandomUse::simulation).fill_normal(std::span<double>(x.data(), static_cast<std::size_t>(x.size())));
  const int n = static_cast<int>(size);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0 / static_cast<double>(size), x.data(), n, x.data(),
              n, 1.0, product.data(), n);
  return (product + product.transpose()) / 2;
}

/// Covariances of a smooth process with next to no noise: condition number up to 1e11.
Full ill_conditioned(Index size) {
  const double length = std::max(1.0, 0.1 * static_cast<double>(size));
  Full matrix(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) matrix(i, j) = std::exp(-0.5 * std::pow(static_cast<double>(i - j) / length, 2));
  }
  matrix.diagonal().array() += 1e-8;
  return matrix;
}

double one_norm(const Full& matrix) { return matrix.cwiseAbs().colwise().sum().maxCoeff(); }

/// ‖A − L Lᵀ‖₁ / (N ‖A‖₁ ε); `lower` has zeros above the diagonal.
double residual(const Full& matrix, const Full& lower) {
  Full difference = matrix;
  const int n = static_cast<int>(matrix.rows());
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1.0, lower.data(), n, lower.data(), n, 1.0,
              difference.data(), n);
  return one_norm(difference) / (n * one_norm(matrix) * std::numeric_limits<double>::epsilon());
}

Full packed_factor(const Full& matrix) {
  PackedSymmetric packed(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) packed(i, j) = matrix(i, j);
  }
  EXPECT_EQ(packed_cholesky(packed), 0);
  Full lower = Full::Zero(matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) lower(i, j) = packed(i, j);
  }
  return lower;
}

Full full_factor(const Full& matrix) {
  Full lower = matrix;
  const auto size = static_cast<lapack_int>(matrix.rows());
  lapack_int info = 0;
  const char triangle = 'L';
  LAPACK_dpotrf(&triangle, &size, lower.data(), &size, &info);
  EXPECT_EQ(info, 0);
  return lower.triangularView<Eigen::Lower>();
}

void expect_small_residuals(Full (*make)(Index)) {
  for (const Index size : sizes) {
    const Full matrix = make(size);
    EXPECT_LT(residual(matrix, packed_factor(matrix)), threshold) << "packed, N = " << size;
    EXPECT_LT(residual(matrix, full_factor(matrix)), threshold) << "full, N = " << size;
  }
}

TEST(CholeskyResidual, IsSmallForWellConditionedMatrices) { expect_small_residuals(well_conditioned); }

TEST(CholeskyResidual, IsSmallForIllConditionedMatrices) { expect_small_residuals(ill_conditioned); }

TEST(CholeskyResidual, SeesAnEntryThatIsOff) {
  const Full matrix = well_conditioned(50);
  Full lower = packed_factor(matrix);
  lower(49, 0) += 1e5 * std::numeric_limits<double>::epsilon();
  EXPECT_GT(residual(matrix, lower), threshold);
}

}  // namespace
}  // namespace priorfit

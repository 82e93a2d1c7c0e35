#include "linalg/dense.hpp"

#include <cblas.h>
#include <lapack.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "linalg/threads.hpp"

namespace priorfit::internal {
namespace {

// Columns at a time: enough for BLAS-3, little beside the matrices.
constexpr Index block = 128;

}  // namespace

Index dense_cholesky(Eigen::MatrixXd& matrix) {
  const ThreadScope scope(threads_for(matrix.rows()));
  const auto size = static_cast<lapack_int>(matrix.rows());
  lapack_int failed = 0;
  LAPACK_dpotrf("L", &size, matrix.data(), &size, &failed);
  return failed;
}

Vector dense_cholesky_solve(const Eigen::MatrixXd& factor, const Vector& right) {
  const ThreadScope scope(threads_for(factor.rows()));
  const auto size = static_cast<lapack_int>(factor.rows());
  const lapack_int columns = 1;
  lapack_int failed = 0;
  Vector solution = right;
  LAPACK_dpotrs("L", &size, &columns, factor.data(), &size, solution.data(), &size, &failed);
  return solution;
}

Vector dense_least_squares(Eigen::MatrixXd matrix, const Vector& right) {
  const ThreadScope scope(threads_for(matrix.rows()));
  const auto rows = static_cast<lapack_int>(matrix.rows()), columns = static_cast<lapack_int>(matrix.cols());
  const lapack_int sides = 1, length = std::max(rows, columns);
  Vector solution = Vector::Zero(length);
  solution.head(right.size()) = right;
  // Columns that depend on the others to rounding count as dependent.
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(length);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(columns), 0);
  lapack_int rank = 0, failed = 0, work_size = -1;
  double best = 0.0;
  LAPACK_dgelsy(&rows, &columns, &sides, matrix.data(), &rows, solution.data(), &length, pivots.data(), &least, &rank,
                &best, &work_size, &failed);
  std::vector<double> work(static_cast<std::size_t>(best));
  work_size = static_cast<lapack_int>(work.size());
  LAPACK_dgelsy(&rows, &columns, &sides, matrix.data(), &rows, solution.data(), &length, pivots.data(), &least, &rank,
                work.data(), &work_size, &failed);
  return solution.head(columns);
}

void dense_invert_lower(Eigen::MatrixXd& factor) {
  const ThreadScope scope(threads_for(factor.rows()));
  const auto size = static_cast<lapack_int>(factor.rows());
  lapack_int failed = 0;
  LAPACK_dtrtri("L", "N", &size, factor.data(), &size, &failed);
}

void multiply_by_square(const Eigen::MatrixXd& b, Eigen::MatrixXd& y) {
  const auto rows = static_cast<blasint>(b.rows()), columns = static_cast<blasint>(y.cols());
  for (const CBLAS_TRANSPOSE transposed : {CblasNoTrans, CblasTrans}) {
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, rows, columns, 1.0, b.data(), rows,
                y.data(), rows);
  }
}

Vector lower_column_squares(const Eigen::MatrixXd& b) {
  Vector squares(b.cols());
  for (Index j = 0; j < b.cols(); ++j) squares[j] = b.col(j).tail(b.rows() - j).squaredNorm();
  return squares;
}

Vector sandwich_diagonal(const Eigen::MatrixXd& b, const Eigen::MatrixXd& c) {
  const Index size = b.rows();
  const auto stride = static_cast<blasint>(size);
  Eigen::MatrixXd lower(size, block), upper(size, block);
  Vector diagonal = Vector::Zero(size);
  for (Index first = 0; first < size; first += block) {
    const Index count = std::min(block, size - first), rows = size - first;
    // Rows from `first` on: C's, then B C's, then BᵀB C's; above them C and B C are 0.
    lower.topLeftCorner(rows, count) = c.block(first, first, rows, count);
    for (Index j = 1; j < count; ++j) lower.col(j).head(j).setZero();
    const double* corner = b.data() + first + first * size;
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, static_cast<blasint>(rows),
                static_cast<blasint>(count), 1.0, corner, stride, lower.data(), stride);
    if (first > 0) {
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(first), static_cast<blasint>(count),
                  static_cast<blasint>(rows), 1.0, b.data() + first, stride, lower.data(), stride, 0.0, upper.data(),
                  stride);
      diagonal.head(first) += upper.topLeftCorner(first, count).rowwise().squaredNorm();
    }
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, static_cast<blasint>(rows),
                static_cast<blasint>(count), 1.0, corner, stride, lower.data(), stride);
    diagonal.tail(rows) += lower.topLeftCorner(rows, count).rowwise().squaredNorm();
  }
  return diagonal;
}

bool dense_eigen(Eigen::MatrixXd& matrix, Vector& values) {
  const ThreadScope scope(threads_for(matrix.rows()));
  const auto size = static_cast<lapack_int>(matrix.rows());
  values.resize(matrix.rows());
  lapack_int failed = 0, work_size = -1, whole_size = -1, whole_best = 0;
  double best = 0.0;
  LAPACK_dsyevd("V", "L", &size, matrix.data(), &size, values.data(), &best, &work_size, &whole_best, &whole_size,
                &failed);
  std::vector<double> work(static_cast<std::size_t>(best));
  std::vector<lapack_int> whole(static_cast<std::size_t>(whole_best));
  work_size = static_cast<lapack_int>(work.size());
  whole_size = whole_best;
  LAPACK_dsyevd("V", "L", &size, matrix.data(), &size, values.data(), work.data(), &work_size, whole.data(),
                &whole_size, &failed);
  return failed == 0;
}

}  // namespace priorfit::internal

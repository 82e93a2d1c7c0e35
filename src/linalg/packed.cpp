#include "linalg/packed.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <lapack.h>
#include <sys/mman.h>

#include <cassert>
#include <cmath>
#include <cstdlib>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;

/// The array's three dense pieces: leading triangle (lower), rectangle below it, trailing triangle (stored upper).
struct Pieces {
  Index leading;   // h
  Index trailing;  // N - h
  double* leading_triangle;
  double* rectangle;
  double* trailing_triangle;
  blasint stride;
};

Pieces pieces(PackedSymmetric& matrix) {
  const Index size = matrix.size();
  const Index leading = (size + 1) / 2;
  double* base = matrix.values();
  const bool even = size % 2 == 0;
  const Index stride = even ? size + 1 : size;
  double* top = even ? base + 1 : base;
  return {leading, size - leading, top, top + leading, even ? base : base + stride, static_cast<blasint>(stride)};
}

lapack_int to_lapack(Index value) {
  assert(value <= std::numeric_limits<lapack_int>::max());
  return static_cast<lapack_int>(value);
}

void triangular_solve(const PackedSymmetric& factor, char transpose, double* right_hand_sides, Index columns) {
  const char normal = 'N', left = 'L', lower = 'L', nonunit = 'N';
  const lapack_int rows = to_lapack(factor.size()), count = to_lapack(columns);
  const double one = 1.0;
  LAPACK_dtfsm(&normal, &left, &lower, &transpose, &nonunit, &rows, &count, &one, factor.values(), right_hand_sides,
               &rows);
}

}  // namespace

void PackedSymmetric::Release::operator()(double* values) const { std::free(values); }

PackedSymmetric::PackedSymmetric(Index size) : size_(size) {
  const std::size_t needed = bytes(size);
  const std::size_t rounded = (needed + page_bytes - 1) / page_bytes * page_bytes;
  values_.reset(static_cast<double*>(std::aligned_alloc(page_bytes, rounded)));
  if (!values_) {
    throw Error(ErrorKind::resource,
                fmt::format("no memory for a covariance of {0} × {0}: {1:.2f} GB asked for; use fewer samples", size,
                            static_cast<double>(needed) / 1e9));
  }
  // Large pages: fewer address translations in the strided reads of the factorisation. Only advice; may be refused.
  madvise(values_.get(), rounded, MADV_HUGEPAGE);
}

std::array<PackedRun, 2> PackedSymmetric::runs(Index c) const {
  const Index even = size_ % 2 == 0 ? 1 : 0;
  const Index h = columns();
  const Index base = c * stride();
  const Index trailing = c + even;  // entries of the trailing triangle in this column
  return {PackedRun{base, h, h + c - 1 + even, trailing}, PackedRun{base + trailing, c, c, size_ - c}};
}

Index PackedSymmetric::offset(Index i, Index j) const {
  if (i < j) std::swap(i, j);
  const Index even = size_ % 2 == 0 ? 1 : 0;
  const Index h = columns();
  return j < h ? i + even + j * stride() : (j - h) + (i - h + 1 - even) * stride();
}

void packed_gram(const MatrixView& inputs, PackedSymmetric& out) {
  const Pieces p = pieces(out);
  const auto features = static_cast<blasint>(inputs.cols());
  const auto row_stride = static_cast<blasint>(inputs.outerStride());
  const auto leading = static_cast<blasint>(p.leading), trailing = static_cast<blasint>(p.trailing);
  const double* first = inputs.data();
  // Row-major samples × features is column-major features × samples, hence Aᵀ A.
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, leading, features, 1.0, first, row_stride, 0.0,
              p.leading_triangle, p.stride);
  if (trailing == 0) return;
  const double* second = first + p.leading * inputs.outerStride();
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, trailing, leading, features, 1.0, second, row_stride, first,
              row_stride, 0.0, p.rectangle, p.stride);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, trailing, features, 1.0, second, row_stride, 0.0,
              p.trailing_triangle, p.stride);
}

Index packed_cholesky(PackedSymmetric& matrix) {
  const char normal = 'N', lower = 'L';
  const lapack_int size = to_lapack(matrix.size());
  lapack_int info = 0;
  LAPACK_dpftrf(&normal, &lower, &size, matrix.values(), &info);
  if (info < 0) {
    throw Error(ErrorKind::internal, fmt::format("dpftrf refused its argument {}", -info));
  }
  return info;
}

double log_determinant(const PackedSymmetric& factor) {
  double sum = 0.0;
  for (Index i = 0; i < factor.size(); ++i) sum += std::log(factor(i, i));
  return 2.0 * sum;
}

void solve_lower(const PackedSymmetric& factor, double* right_hand_sides, Index columns) {
  triangular_solve(factor, 'N', right_hand_sides, columns);
}

void solve_lower_transposed(const PackedSymmetric& factor, double* right_hand_sides, Index columns) {
  triangular_solve(factor, 'T', right_hand_sides, columns);
}

}  // namespace priorfit

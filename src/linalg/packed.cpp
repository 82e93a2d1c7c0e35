#include "linalg/packed.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <lapack.h>
#include <sys/mman.h>

#include <cassert>
#include <cmath>
#include <cstdlib>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;

/// The array's three dense pieces: leading triangle (lower), rectangle below it, trailing triangle (stored upper).
template <typename Value>
struct Pieces {
  Index leading;   // h
  Index trailing;  // N - h
  Value* leading_triangle;
  Value* rectangle;
  Value* trailing_triangle;
  blasint stride;
};

template <typename Value>
Pieces<Value> pieces(Value* base, Index size) {
  const Index leading = (size + 1) / 2;
  const bool even = size % 2 == 0;
  const Index stride = even ? size + 1 : size;
  Value* top = even ? base + 1 : base;
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

void check_info(const char* routine, lapack_int info) {
  if (info < 0) throw Error(ErrorKind::internal, fmt::format("{} refused its argument {}", routine, -info));
}

}  // namespace

void PackedSymmetric::Release::operator()(double* values) const { std::free(values); }

PackedSymmetric::PackedSymmetric(Index size) : size_(size) {
  const std::size_t needed = bytes(size);
  const std::size_t rounded = (needed + page_bytes - 1) / page_bytes * page_bytes;
  values_.reset(static_cast<double*>(std::aligned_alloc(page_bytes, rounded)));
  if (!values_) {
    throw Error(ErrorKind::resource,
                fmt::format("no memory for a covariance of {0} × {0}: {1} bytes were asked for; use fewer samples",
                            size, needed));
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
  const auto p = pieces(out.values(), out.size());
  const auto features = static_cast<blasint>(inputs.cols());
  const auto row_stride = static_cast<blasint>(inputs.outerStride());
  const auto leading = static_cast<blasint>(p.leading), trailing = static_cast<blasint>(p.trailing);
  const double* first = inputs.data();
  // Row-major samples × features is column-major features × samples, hence Aᵀ A.
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, leading, features, 1.0, first, row_stride, 0.0, p.leading_triangle,
              p.stride);
  if (trailing == 0) return;
  const double* second = first + p.leading * inputs.outerStride();
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, trailing, leading, features, 1.0, second, row_stride, first,
              row_stride, 0.0, p.rectangle, p.stride);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, trailing, features, 1.0, second, row_stride, 0.0,
              p.trailing_triangle, p.stride);
}

void packed_gram_columns(const MatrixView& inputs, const PackedSymmetric& layout, Index first, Index count,
                         double* out) {
  const Index size = layout.size(), half = layout.columns(), even = size % 2 == 0 ? 1 : 0;
  const auto features = static_cast<blasint>(inputs.cols()), row_stride = static_cast<blasint>(inputs.outerStride());
  const auto row = [&](Index i) { return inputs.data() + i * inputs.outerStride(); };
  const auto products = [&](Index rows_from, Index rows, Index columns_from, Index columns, double* target) {
    if (rows == 0) return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(rows), static_cast<blasint>(columns),
                features, 1.0, row(rows_from), row_stride, row(columns_from), row_stride, 0.0, target,
                static_cast<blasint>(layout.stride()));
  };
  // Entries (i, c), i >= first, with some i < c too many; the trailing triangle then takes their places.
  products(first, size - first, first, count, out + even + first);
  const Index trailing = half - 1 + even;  // column c also holds entries (half + r, trailing + c), r < c + even
  products(half, first + even, trailing + first, count, out);
  for (Index c = first + 1; c < first + count; ++c) {
    products(half + first + even, c - first, trailing + c, 1, out + (c - first) * layout.stride() + first + even);
  }
}

Index packed_cholesky(PackedSymmetric& matrix) {
  const char normal = 'N', lower = 'L';
  const lapack_int size = to_lapack(matrix.size());
  lapack_int info = 0;
  LAPACK_dpftrf(&normal, &lower, &size, matrix.values(), &info);
  check_info("dpftrf", info);
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

void packed_inverse(PackedSymmetric& factor) {
  const char normal = 'N', lower = 'L';
  const lapack_int size = to_lapack(factor.size());
  lapack_int info = 0;
  LAPACK_dpftri(&normal, &lower, &size, factor.values(), &info);
  check_info("dpftri", info);
}

void invert_lower(PackedSymmetric& factor) {
  const char normal = 'N', lower = 'L', nonunit = 'N';
  const lapack_int size = to_lapack(factor.size());
  lapack_int info = 0;
  LAPACK_dtftri(&normal, &lower, &nonunit, &size, factor.values(), &info);
  check_info("dtftri", info);
}

Vector inverse_diagonal(const PackedSymmetric& inverse_factor) {
  Vector diagonal = Vector::Zero(inverse_factor.size());
  for (Index c = 0; c < inverse_factor.columns(); ++c) {
    const auto [trailing, leading] = inverse_factor.runs(c);
    const double* values = inverse_factor.values();
    for (Index k = 0; k < leading.length; ++k) diagonal[leading.column] += std::pow(values[leading.offset + k], 2);
    // The trailing triangle is stored by rows of L⁻¹: entry k lies in column first_row + k.
    for (Index k = 0; k < trailing.length; ++k) {
      diagonal[trailing.first_row + k] += std::pow(values[trailing.offset + k], 2);
    }
  }
  return diagonal;
}

void add_outer_products(const double* vectors, Index columns, double scale, PackedSymmetric& matrix) {
  const char normal = 'N', lower = 'L';
  const lapack_int size = to_lapack(matrix.size()), count = to_lapack(columns);
  const double one = 1.0;
  LAPACK_dsfrk(&normal, &lower, &normal, &size, &count, &one, vectors, &size, &scale, matrix.values());
}

void multiply(const PackedSymmetric& matrix, const double* right, Index columns, double* out) {
  const auto p = pieces(matrix.values(), matrix.size());
  const auto leading = static_cast<blasint>(p.leading), trailing = static_cast<blasint>(p.trailing);
  const auto rows = static_cast<blasint>(matrix.size()), count = static_cast<blasint>(columns);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, leading, count, 1.0, p.leading_triangle, p.stride, right, rows, 0.0,
              out, rows);
  if (trailing == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, leading, count, trailing, 1.0, p.rectangle, p.stride,
              right + leading, rows, 1.0, out, rows);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, trailing, count, leading, 1.0, p.rectangle, p.stride, right,
              rows, 0.0, out + leading, rows);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, trailing, count, 1.0, p.trailing_triangle, p.stride,
              right + leading, rows, 1.0, out + leading, rows);
}

void unpack_lower(const PackedSymmetric& matrix, double* out) {
  const auto size = static_cast<lapack_int>(matrix.size());
  lapack_int failed = 0;
  LAPACK_dtfttr("N", "L", &size, matrix.values(), out, &size, &failed);
}

void unpack_columns(const PackedSymmetric& matrix, Index first, Index count, double* out) {
#pragma omp parallel for schedule(dynamic, 8)
  for (Index c = first; c < first + count; ++c) {
    double* column = out + (c - first) * matrix.size();
    for (Index i = 0; i < matrix.size(); ++i) column[i] = matrix(i, c);
  }
}

}  // namespace priorfit::internal

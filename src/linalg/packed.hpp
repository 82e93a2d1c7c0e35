// Symmetric matrices in LAPACK's rectangular full packed format (TRANSR='N', UPLO='L'): N(N+1)/2 doubles that BLAS-3
// routines can work on, so that a Cholesky factorisation runs in half the memory at full speed (M4).
//
// With h = ceil(N/2), the array has h columns. Column c holds two runs of contiguous entries of the symmetric matrix:
// a piece of the trailing triangle, entries (h + r, h + c'), and below it entries (i, c) for i >= c. Both runs
// together have N + 1 entries (N even) or N (N odd), so columns are equal shares of work.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// values()[offset + k] is entry (first_row + k, column) of the symmetric matrix, for k in [0, length).
struct PackedRun {
  Index offset;
  Index first_row;
  Index column;
  Index length;
};

class PackedSymmetric {
 public:
  /// Entries are not initialised. Throws Error(resource) naming the bytes when memory is short.
  explicit PackedSymmetric(Index size);

  Index size() const { return size_; }
  Index columns() const { return (size_ + 1) / 2; }
  std::array<PackedRun, 2> runs(Index packed_column) const;

  double* values() { return values_.get(); }
  const double* values() const { return values_.get(); }
  double& operator()(Index i, Index j) { return values_.get()[offset(i, j)]; }
  double operator()(Index i, Index j) const { return values_.get()[offset(i, j)]; }

  /// Bytes a matrix of this size takes.
  static std::uint64_t bytes(Index size) {
    return std::uint64_t(size) * (std::uint64_t(size) + 1) / 2 * sizeof(double);
  }

  /// Distance between packed columns in values().
  Index stride() const { return size_ % 2 == 0 ? size_ + 1 : size_; }

 private:
  Index offset(Index i, Index j) const;

  struct Release {
    void operator()(double* values) const;
  };

  Index size_;
  std::unique_ptr<double, Release> values_;
};

/// out = X Xᵀ for X of shape (out.size() × features).
void packed_gram(const MatrixView& inputs, PackedSymmetric& out);

/// Packed columns [first, first + count) of X Xᵀ for matrices of `layout`'s size, as they would lie in its values():
/// `out` holds count × layout.stride() doubles.
void packed_gram_columns(const MatrixView& inputs, const PackedSymmetric& layout, Index first, Index count,
                         double* out);

/// Factors A = L Lᵀ in place. Returns 0, or the 1-based order of the leading minor that is not positive definite (the
/// matrix is then partly overwritten).
Index packed_cholesky(PackedSymmetric& matrix);

/// log |A| from the factor of packed_cholesky.
double log_determinant(const PackedSymmetric& factor);

/// B := L⁻¹ B, with B column-major of shape (factor.size() × columns).
void solve_lower(const PackedSymmetric& factor, double* right_hand_sides, Index columns);

/// B := L⁻ᵀ B, likewise.
void solve_lower_transposed(const PackedSymmetric& factor, double* right_hand_sides, Index columns);

/// L -> A⁻¹ in place, at the cost of two factorisations.
void packed_inverse(PackedSymmetric& factor);

/// L -> L⁻¹ in place, at the cost of one factorisation.
void invert_lower(PackedSymmetric& factor);

/// Diagonal of A⁻¹ = L⁻ᵀ L⁻¹ from L⁻¹ of invert_lower.
Vector inverse_diagonal(const PackedSymmetric& inverse_factor);

/// M := V Vᵀ + scale · M, with V column-major of shape (matrix.size() × columns).
void add_outer_products(const double* vectors, Index columns, double scale, PackedSymmetric& matrix);

/// C := A B, with B and C column-major of shape (matrix.size() × columns).
void multiply(const PackedSymmetric& matrix, const double* right, Index columns, double* out);

/// Its lower triangle, column-major, size() apart; what lies above the diagonal of `out` is left.
void unpack_lower(const PackedSymmetric& matrix, double* out);

/// Columns [first, first + count) of the full symmetric matrix, column-major.
void unpack_columns(const PackedSymmetric& matrix, Index first, Index count, double* out);

}  // namespace priorfit::internal

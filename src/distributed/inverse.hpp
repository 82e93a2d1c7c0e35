// Inverses from a Cholesky factor that is dealt out over the grid. ScaLAPACK's own go panel by panel, and the products
// of a panel keep one column of the grid at work; halves keep all of it.
#pragma once

#include "distributed/block_matrix.hpp"

namespace priorfit::internal {

/// L⁻¹ in place of the lower triangle L of a square matrix of so many rows, in square blocks of `block`.
void invert_triangle(BlockMatrix& matrix, Index size, Index block);

/// The lower triangle of (L Lᵀ)⁻¹ in place of L.
void invert_by_factor(BlockMatrix& matrix, Index size, Index block);

}  // namespace priorfit::internal

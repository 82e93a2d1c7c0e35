// The dense, column-major work that a whole matrix makes faster than a packed one.
#pragma once

#include <Eigen/Core>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// Factors A = L Lᵀ from its lower triangle, in place; what lies above the diagonal is left. Returns 0, or the 1-based
/// order of the leading minor that is not positive definite.
Index dense_cholesky(Eigen::MatrixXd& matrix);

/// A⁻¹ b from the factor that dense_cholesky() left.
Vector dense_cholesky_solve(const Eigen::MatrixXd& factor, const Vector& right);

/// The shortest x among those that make |A x − b| least; A may have any rank.
Vector dense_least_squares(Eigen::MatrixXd matrix, const Vector& right);

/// L -> L⁻¹ in its lower triangle.
void dense_invert_lower(Eigen::MatrixXd& factor);

/// Y -> BᵀB Y for lower triangular B.
void multiply_by_square(const Eigen::MatrixXd& b, Eigen::MatrixXd& y);

/// Squared norms of the columns of the lower triangle: the diagonal of BᵀB.
Vector lower_column_squares(const Eigen::MatrixXd& b);

/// Row norms, squared, of Bᵀ B C for lower triangular B and C (what lies above is not read): the diagonal of
/// (BᵀB) CCᵀ (BᵀB) at the cost of three factorisations, by leaving out every product with a zero.
Vector sandwich_diagonal(const Eigen::MatrixXd& b, const Eigen::MatrixXd& c);

/// Eigenvalues, ascending, of the symmetric matrix in the lower triangle, whose columns become the eigenvectors. False
/// where the iteration does not converge.
bool dense_eigen(Eigen::MatrixXd& matrix, Vector& values);

}  // namespace priorfit::internal

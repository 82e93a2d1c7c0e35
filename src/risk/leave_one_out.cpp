#include "risk/leave_one_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/dense.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

// Columns of Θ⁻¹ K at a time: enough for BLAS-3, little beside the matrices.
constexpr Index columns_at_once = 128;

/// diag(Θ⁻¹ K Θ⁻¹), in blocks: neither the product nor a full matrix is ever stored.
Vector sandwich_diagonal(const PackedSymmetric& inverse, const PackedSymmetric& middle) {
  const Index size = inverse.size();
  Eigen::MatrixXd columns(size, columns_at_once), product(size, columns_at_once);
  Vector diagonal = Vector::Zero(size);
  for (Index first = 0; first < size; first += columns_at_once) {
    const Index count = std::min(columns_at_once, size - first);
    unpack_columns(middle, first, count, columns.data());
    multiply(inverse, columns.data(), count, product.data());
    unpack_columns(inverse, first, count, columns.data());
    diagonal += product.leftCols(count).cwiseProduct(columns.leftCols(count)).rowwise().sum();
  }
  return diagonal;
}

/// The same from L⁻¹ of Θ = L Lᵀ, in the lower triangle.
Vector sandwich_diagonal(const Eigen::MatrixXd& inverse_factor, const PackedSymmetric& middle) {
  const Index size = middle.size();
  Vector diagonal = Vector::Zero(size);
  for (Index first = 0; first < size; first += columns_at_once) {
    const Index count = std::min(columns_at_once, size - first);
    Eigen::MatrixXd product(size, count), columns = Eigen::MatrixXd::Zero(size, count);
    unpack_columns(middle, first, count, product.data());
    multiply_by_square(inverse_factor, product);
    columns.middleRows(first, count).setIdentity();
    multiply_by_square(inverse_factor, columns);
    diagonal += product.cwiseProduct(columns).rowwise().sum();
  }
  return diagonal;
}

/// From Θ⁻¹ Y and diag(Θ⁻¹ K Θ⁻¹) to what is left out (M8).
void scale_by_precision(LeftOut& out, const Vector& precisions) {
  for (Index i = 0; i < precisions.size(); ++i) {
    out.errors.row(i) /= precisions[i];
    out.variances[i] = std::max(0.0, out.variances[i]) / (precisions[i] * precisions[i]);
  }
}

double distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// ∫ N(z; 0, 1) Π Φ(z + gap) dz by the trapezoidal rule, which converges geometrically for such functions.
double probability_of_being_largest(const Vector& gaps) {
  constexpr double reach = 8.5, step = 0.25;
  // Every other output is larger with probability Φ(−gap/√2) < 1e-17: nothing is left to add up.
  if (gaps.minCoeff() > 12.1) return 1.0;
  double sum = 0.0;
  for (double z = -reach; z <= reach; z += step) {
    double product = std::exp(-0.5 * z * z);
    for (Index c = 0; c < gaps.size() && product > 0; ++c) product *= distribution(z + gaps[c]);
    sum += product;
  }
  return sum * step * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

}  // namespace

LeftOut leave_out_of_trained(const PackedSymmetric& tangent, const PackedSymmetric& covariance,
                             const MatrixView& targets, LeaveOutSpace& space) {
  const Index size = tangent.size();
  Eigen::MatrixXd& inverse = space.inverse;  // L⁻¹ of Θ = L Lᵀ, in the lower triangle
  Eigen::MatrixXd& start = space.start;      // C of K = C Cᵀ, likewise
  inverse.resize(size, size);
  start.resize(size, size);
  unpack_lower(tangent, inverse.data());
  if (const Index failed = dense_cholesky(inverse); failed > 0) {
    throw Error(ErrorKind::numerical,
                fmt::format("the tangent kernel is not positive definite (leading minor {}): raise the ridge", failed));
  }
  dense_invert_lower(inverse);
  unpack_lower(covariance, start.data());
  const bool factored = dense_cholesky(start) == 0;
  LeftOut out;
  const Vector precisions = lower_column_squares(inverse);  // diag Θ⁻¹
  out.errors = targets;
  multiply_by_square(inverse, out.errors);
  if (factored) {
    out.variances = internal::sandwich_diagonal(inverse, start);
  } else {  // K is singular, such as where the network is linear and samples outnumber features
    out.variances = sandwich_diagonal(inverse, covariance);
  }
  scale_by_precision(out, precisions);
  return out;
}

LeftOut leave_out(const PackedSymmetric& residual, const PackedSymmetric& covariance, const MatrixView& targets) {
  LeftOut out;
  const Eigen::MatrixXd y = targets;
  out.errors.resize(y.rows(), y.cols());
  multiply(residual, y.data(), y.cols(), out.errors.data());
  out.variances = sandwich_diagonal(residual, covariance);
  Vector precisions(residual.size());
  for (Index i = 0; i < residual.size(); ++i) precisions[i] = residual(i, i);
  scale_by_precision(out, precisions);
  return out;
}

Vector right_probabilities(const LeftOut& left_out, const MatrixView& targets) {
  const Index samples = targets.rows(), outputs = targets.cols();
  Vector chances(samples);
#pragma omp parallel for schedule(dynamic, 16)
  for (Index i = 0; i < samples; ++i) {
    Index right = 0;
    targets.row(i).maxCoeff(&right);
    const Vector means = targets.row(i).transpose() - left_out.errors.row(i).transpose();
    const double deviation = std::sqrt(left_out.variances[i]);
    Vector gaps(outputs - 1);
    for (Index c = 0, k = 0; c < outputs; ++c) {
      if (c != right) gaps[k++] = means[right] - means[c];
    }
    // Without variance the largest mean decides.
    chances[i] = deviation > 0 ? probability_of_being_largest(gaps / deviation) : (gaps.minCoeff() > 0 ? 1.0 : 0.0);
  }
  return chances;
}

}  // namespace priorfit::internal

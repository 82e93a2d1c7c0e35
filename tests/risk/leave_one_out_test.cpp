// The closed forms of leaving one sample out, against leaving it out.
#include "risk/leave_one_out.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "helpers.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

Matrix positive_definite(Index size, std::uint64_t seed) {
  const Matrix x = random_matrix(size, size + 2, seed);
  return x * x.transpose() / double(size) + 0.1 * Matrix::Identity(size, size);
}

PackedSymmetric pack(const Matrix& full) {
  PackedSymmetric packed(full.rows());
  for (Index i = 0; i < full.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) packed(i, j) = full(i, j);
  }
  return packed;
}

LeftOut leave_out_of_trained(const PackedSymmetric& tangent, const PackedSymmetric& covariance, const Matrix& targets) {
  LeaveOutSpace space;
  return internal::leave_out_of_trained(tangent, covariance, targets, space);
}

Matrix without(const Matrix& matrix, Index row, Index column) {
  Matrix out(matrix.rows() - (row >= 0), matrix.cols() - (column >= 0));
  for (Index i = 0, r = 0; i < matrix.rows(); ++i) {
    if (i == row) continue;
    for (Index j = 0, c = 0; j < matrix.cols(); ++j) {
      if (j != column) out(r, c++) = matrix(i, j);
    }
    ++r;
  }
  return out;
}

TEST(LeaveOut, EqualsLeavingEachSampleOut) {
  for (const Index size : {2, 9, 30, 131}) {  // the last: more than one block of columns
    const Matrix theta = positive_definite(size, 1), k = positive_definite(size, 2), y = random_matrix(size, 3, 3);
    const LeftOut closed = leave_out_of_trained(pack(theta), pack(k), y);
    for (Index i = 0; i<size; i += size> 50 ? 10 : 1) {
      // f(x) = f0(x) + Θ(x, X) Θ⁻¹ (Y − f0(X)) with f0 ~ N(0, K): mean and variance at the sample left out.
      const Matrix rest = without(theta, i, i);
      const Eigen::VectorXd cross = without(Matrix(theta.col(i)), i, -1);
      const Eigen::VectorXd weights = rest.llt().solve(cross);
      const Eigen::RowVectorXd mean = weights.transpose() * without(y, i, -1);
      const Eigen::VectorXd cross_k = without(Matrix(k.col(i)), i, -1);
      const double variance = k(i, i) - 2 * weights.dot(cross_k) + weights.dot(without(k, i, i) * weights);
      EXPECT_LT((closed.errors.row(i) - (y.row(i) - mean)).norm(), 1e-10) << i;
      EXPECT_NEAR(closed.variances[i], variance, 1e-10 * k(i, i)) << i;
    }
  }
}

TEST(LeaveOut, SaysWhenTheTangentKernelIsSingular) {
  const PackedSymmetric tangent = pack(Matrix::Ones(4, 4)), k = pack(Matrix::Identity(4, 4));
  EXPECT_THROW(leave_out_of_trained(tangent, k, random_matrix(4, 1, 3)), Error);
}

// A linear network of few features makes K singular; the variances are then those of the whole product.
TEST(LeaveOut, NeedsNoFactorOfTheCovariance) {
  const Index size = 40;
  const Matrix theta = positive_definite(size, 1), y = random_matrix(size, 2, 3), root = random_matrix(size, 3, 4);
  const Matrix k = root * root.transpose();
  const LeftOut left = leave_out_of_trained(pack(theta), pack(k), y);
  const Eigen::MatrixXd inverse = Eigen::MatrixXd(theta).llt().solve(Eigen::MatrixXd::Identity(size, size));
  const Eigen::MatrixXd whole = inverse * k * inverse;
  for (Index i = 0; i < size; ++i) {
    const double expected = whole(i, i) / (inverse(i, i) * inverse(i, i));
    EXPECT_NEAR(left.variances[i], expected, 1e-8 * expected) << i;
  }
}

TEST(RightProbabilities, AgreesWithSampling) {
  const Index samples = 40, outputs = 5;
  Matrix targets = Matrix::Constant(samples, outputs, -0.2);
  for (Index i = 0; i < samples; ++i) targets(i, i % outputs) = 0.8;
  LeftOut left_out{0.5 * random_matrix(samples, outputs, 4), random_matrix(samples, 1, 5).cwiseAbs()};
  const int draws = 20000;
  const Matrix noise = random_matrix(samples * draws, outputs, 6);
  double hits = 0;
  for (Index i = 0; i < samples; ++i) {
    for (int k = 0; k < draws; ++k) {
      const Eigen::RowVectorXd f =
          targets.row(i) - left_out.errors.row(i) + std::sqrt(left_out.variances[i]) * noise.row(i * draws + k);
      Index largest = 0;
      f.maxCoeff(&largest);
      hits += largest == i % outputs;
    }
  }
  const double sampled = hits / double(samples * draws);
  EXPECT_NEAR(right_probabilities(left_out, targets).mean(), sampled, 4 * std::sqrt(0.25 / (samples * draws)));
}

TEST(RightProbabilities, WithoutVarianceTheLargestMeanDecides) {
  const Matrix targets{{0.5, -0.5}, {-0.5, 0.5}, {0.5, -0.5}};
  LeftOut left_out{Eigen::MatrixXd{{0.1, 0.0}, {0.0, 1.2}, {0.0, 0.0}}, Vector::Zero(3)};
  EXPECT_DOUBLE_EQ(right_probabilities(left_out, targets).mean(), 2.0 / 3.0);
}

}  // namespace
}  // namespace priorfit

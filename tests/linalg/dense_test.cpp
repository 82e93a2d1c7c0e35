#include "linalg/dense.hpp"

#include <gtest/gtest.h>

#include <random>

#include "linalg/threads.hpp"

namespace priorfit {
using namespace internal;
namespace {

/// All that is computed of small matrices, on so many threads.
std::vector<double> figures(int threads) {
  const ThreadScope scope(threads);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> all;
  const auto keep = [&](const auto& values) { all.insert(all.end(), values.data(), values.data() + values.size()); };
  for (const Index size : {2, 3, 8, 30}) {
    for (int draw = 0; draw < 50; ++draw) {
      const Eigen::MatrixXd half = Eigen::MatrixXd::NullaryExpr(size, size, [&] { return normal(random); });
      const Vector right = Vector::NullaryExpr(size, [&] { return normal(random); });
      Eigen::MatrixXd eigenvectors = half * half.transpose(), factor = eigenvectors;
      Vector eigenvalues;
      EXPECT_TRUE(dense_eigen(eigenvectors, eigenvalues));
      keep(eigenvectors);
      keep(eigenvalues);
      EXPECT_EQ(dense_cholesky(factor), 0);
      keep(dense_cholesky_solve(factor, right));
      dense_invert_lower(factor);
      keep(factor);
      keep(dense_least_squares(half, right));
    }
  }
  return all;
}

// LAPACK itself gives the eigenvectors of two rows other last digits on two threads.
TEST(Dense, SmallMatricesAreTheSameOnAnyThreads) {
  const std::vector<double> one = figures(1);
  EXPECT_EQ(figures(2), one);
  EXPECT_EQ(figures(4), one);
}

}  // namespace
}  // namespace priorfit

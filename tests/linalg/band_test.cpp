// The reduction to a band and its factorisation.
#include "linalg/band.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "helpers.hpp"
#include "oracle/oracle.hpp"

namespace priorfit {
using namespace internal;
namespace {

TEST(BandFactor, SolvesAndTracesLikeTheWholeMatrix) {
  for (const Index size : {1, 2, 20, 33, 34, 60, 150}) {
    const Matrix x = test::random_matrix(size, size + 2, 1);
    const Eigen::MatrixXd s = x * x.transpose() / double(size);
    const BandReduction reduction(s);
    const BandFactor factor(reduction.band(), 1.7, 0.3);
    ASSERT_TRUE(factor.ok());
    const Eigen::MatrixXd whole = 1.7 * s + 0.3 * Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd inverse = whole.llt().solve(Eigen::MatrixXd::Identity(size, size));
    EXPECT_TRUE(oracle::close(factor.inverse_trace(), inverse.trace(), 1e-11)) << size;
    EXPECT_NEAR(factor.log_determinant(), 2 * Eigen::MatrixXd(whole.llt().matrixL()).diagonal().array().log().sum(),
                1e-9);
    Eigen::MatrixXd y = test::random_matrix(size, 2, 2);
    const double expected = (y.transpose() * inverse * y).trace();
    reduction.rotate(y);
    Eigen::MatrixXd solved = y;
    factor.solve(solved);
    EXPECT_TRUE(oracle::close(y.cwiseProduct(solved).sum(), expected, 1e-10)) << size;
  }
}

}  // namespace
}  // namespace priorfit

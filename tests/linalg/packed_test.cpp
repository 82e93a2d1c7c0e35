#include "linalg/packed.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "helpers.hpp"
#include "oracle/oracle.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::random_matrix;

const Index sizes[] = {1, 2, 3, 4, 5, 8, 17, 64, 65, 200};

Matrix positive_definite(Index size) {
  const Matrix x = random_matrix(size, size + 3, 7);
  return x * x.transpose() + 0.1 * Matrix::Identity(size, size);
}

PackedSymmetric pack(const Matrix& full) {
  PackedSymmetric packed(full.rows());
  for (Index i = 0; i < full.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) packed(i, j) = full(i, j);
  }
  return packed;
}

TEST(PackedSymmetric, EntriesFillTheArrayExactlyOnce) {
  for (const Index size : sizes) {
    PackedSymmetric matrix(size);
    std::vector<std::ptrdiff_t> places;
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j <= i; ++j) {
        places.push_back(&matrix(i, j) - matrix.values());
        EXPECT_EQ(&matrix(i, j), &matrix(j, i));
      }
    }
    std::sort(places.begin(), places.end());
    for (std::size_t k = 0; k < places.size(); ++k) ASSERT_EQ(places[k], std::ptrdiff_t(k)) << "size " << size;
  }
}

TEST(PackedSymmetric, MultipliesAndUnpacksLikeTheFullMatrix) {
  for (const Index size : sizes) {
    const Matrix full = positive_definite(size);
    const PackedSymmetric packed = pack(full);
    const Eigen::MatrixXd right = random_matrix(size, 3, 8);
    Eigen::MatrixXd product(size, 3), columns(size, size / 2 + 1);
    multiply(packed, right.data(), 3, product.data());
    EXPECT_LT((product - full * right).norm(), 1e-12 * full.norm() * right.norm()) << "size " << size;
    unpack_columns(packed, size / 2 - (size > 1 ? 1 : 0), 1, columns.data());
    EXPECT_EQ(Eigen::VectorXd(columns.col(0)), Eigen::VectorXd(full.col(size / 2 - (size > 1 ? 1 : 0))));
  }
}

TEST(PackedSymmetric, RunsNameTheEntriesTheyHold) {
  for (const Index size : sizes) {
    PackedSymmetric matrix(size);
    Index seen = 0;
    for (Index c = 0; c < matrix.columns(); ++c) {
      for (const PackedRun& run : matrix.runs(c)) {
        for (Index k = 0; k < run.length; ++k) {
          ASSERT_EQ(&matrix(run.first_row + k, run.column), matrix.values() + run.offset + k) << "size " << size;
        }
        seen += run.length;
      }
    }
    EXPECT_EQ(seen, size * (size + 1) / 2);
  }
}

TEST(PackedGram, EqualsTheDenseProduct) {
  for (const Index size : sizes) {
    const Matrix x = random_matrix(size, 5, 1);
    PackedSymmetric gram(size);
    packed_gram(x, gram);
    const Matrix dense = x * x.transpose();
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j <= i; ++j) EXPECT_TRUE(oracle::close(gram(i, j), dense(i, j), 1e-13, 1e-13));
    }
  }
}

TEST(PackedGram, TakesStridedRows) {
  const Matrix wide = random_matrix(9, 12, 2);
  const MatrixView view = wide.leftCols(5);
  PackedSymmetric gram(9);
  packed_gram(view, gram);
  EXPECT_NEAR(gram(8, 3), wide.row(8).head(5).dot(wide.row(3).head(5)), 1e-13);
}

TEST(PackedCholesky, AgreesWithFullStorage) {
  for (const Index size : sizes) {
    const Matrix full = positive_definite(size);
    PackedSymmetric packed = pack(full);
    ASSERT_EQ(packed_cholesky(packed), 0);
    const Eigen::MatrixXd factor = Eigen::LLT<Eigen::MatrixXd>(full).matrixL();
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j <= i; ++j) EXPECT_TRUE(oracle::close(packed(i, j), factor(i, j), 1e-11, 1e-11));
    }
    EXPECT_TRUE(oracle::close(log_determinant(packed), 2 * factor.diagonal().array().log().sum(), 1e-12, 1e-12));
  }
}

TEST(PackedCholesky, SolvesBothTriangles) {
  for (const Index size : sizes) {
    const Matrix full = positive_definite(size);
    const Eigen::MatrixXd right = random_matrix(size, 3, 5);
    PackedSymmetric packed = pack(full);
    ASSERT_EQ(packed_cholesky(packed), 0);
    Eigen::MatrixXd solution = right;
    solve_lower(packed, solution.data(), 3);
    solve_lower_transposed(packed, solution.data(), 3);
    EXPECT_LT((full * solution - right).norm(), 1e-9 * right.norm());
  }
}

TEST(PackedCholesky, NamesTheFirstMinorThatFails) {
  for (const Index bad : {0, 3, 4, 5, 8}) {
    Matrix full = Matrix::Identity(9, 9);
    full(bad, bad) = -1.0;
    PackedSymmetric packed = pack(full);
    EXPECT_EQ(packed_cholesky(packed), bad + 1);
  }
}

TEST(PackedCholesky, GivesTheInverseItsFactorAndItsDiagonal) {
  for (const Index size : sizes) {
    const Matrix full = positive_definite(size);
    const Matrix inverse = full.inverse();
    PackedSymmetric packed = pack(full), lower = pack(full);
    ASSERT_EQ(packed_cholesky(packed), 0);
    packed_inverse(packed);
    ASSERT_EQ(packed_cholesky(lower), 0);
    invert_lower(lower);
    const Vector diagonal = inverse_diagonal(lower);
    for (Index i = 0; i < size; ++i) {
      EXPECT_TRUE(oracle::close(diagonal[i], inverse(i, i), 1e-9));
      for (Index j = 0; j <= i; ++j)
        EXPECT_TRUE(oracle::close(packed(i, j), inverse(i, j), 1e-9, 1e-9)) << i << "," << j;
    }
  }
}

TEST(PackedSymmetric, AddsOuterProducts) {
  for (const Index size : sizes) {
    const Matrix full = positive_definite(size);
    const Eigen::MatrixXd vectors = random_matrix(size, 3, 11);
    PackedSymmetric packed = pack(full);
    add_outer_products(vectors.data(), 3, -2.0, packed);
    const Matrix expected = vectors * vectors.transpose() - 2.0 * full;
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j <= i; ++j) EXPECT_TRUE(oracle::close(packed(i, j), expected(i, j), 1e-12, 1e-10));
    }
  }
}

TEST(PackedGram, ColumnsAreThoseOfTheWhole) {
  for (const Index size : sizes) {
    const Matrix x = random_matrix(size, 7, 3);
    PackedSymmetric whole(size);
    packed_gram(x, whole);
    for (const Index count : {Index{1}, Index{3}, whole.columns()}) {
      std::vector<double> block(static_cast<std::size_t>(count * whole.stride()));
      for (Index first = 0; first < whole.columns(); first += count) {
        const Index columns = std::min(count, whole.columns() - first);
        packed_gram_columns(x, whole, first, columns, block.data());
        for (Index k = 0; k < columns * whole.stride(); ++k) {
          EXPECT_TRUE(oracle::close(block[static_cast<std::size_t>(k)], whole.values()[first * whole.stride() + k],
                                    1e-13, 1e-13));
        }
      }
    }
  }
}

}  // namespace
}  // namespace priorfit

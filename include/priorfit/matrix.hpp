// Matrices in the public API: row-major, one sample a row, so that a NumPy array or a std::vector<double> can be
// viewed without a copy:
//
//     std::vector<double> pixels = …;                                   // rows * columns values
//     auto inputs = priorfit::map_rows(pixels.data(), rows, columns);   // no copy
#pragma once

#include <Eigen/Core>

namespace priorfit {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// Read-only view of row-major doubles, rows possibly strided; binds to Matrix, blocks of rows, and map_rows().
using MatrixView = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

inline Eigen::Map<const Matrix> map_rows(const double* values, Index rows, Index columns) {
  return {values, rows, columns};
}

}  // namespace priorfit

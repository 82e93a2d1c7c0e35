// Matrices in the public API: row-major, one sample per row, so that a NumPy array or a std::vector<double> can be
// viewed without a copy:
//
//     std::vector<double> pixels = …;                                                 // rows * columns values
//     priorfit::MatrixView inputs(pixels.data(), rows, columns);                      // no copy
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "priorfit/index.hpp"

namespace priorfit {

static_assert(std::is_same_v<Index, Eigen::Index>);

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// Read-only view of row-major doubles whose rows may be strided. Converts from Matrix and from its blocks. It never
/// copies, unlike Eigen::Ref, which may refer to a hidden temporary: an expression or a column-major matrix does not
/// convert. As with std::string_view, what is viewed must outlive the view.
class MatrixView : public Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>> {
  using Base = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

 public:
  MatrixView(const double* values, Index rows, Index columns) : MatrixView(values, rows, columns, columns) {}
  MatrixView(const double* values, Index rows, Index columns, Index row_stride)
      : Base(values, rows, columns, Eigen::OuterStride<>(row_stride)) {}

  template <typename Derived>
  requires(std::is_same_v<typename Derived::Scalar, double>&& bool(Derived::IsRowMajor) &&
           (int(Derived::Flags) & int(Eigen::DirectAccessBit)) != 0 && int(Derived::InnerStrideAtCompileTime) == 1)
      MatrixView(const Eigen::MatrixBase<Derived>& matrix)
      : MatrixView(matrix.derived().data(), matrix.rows(), matrix.cols(), matrix.derived().outerStride()) {}
};

}  // namespace priorfit

#include "data/columns.hpp"

namespace priorfit::internal {

ColumnStatistics column_statistics(const Matrix& values) {
  const auto rows = static_cast<double>(values.rows());
  ColumnStatistics result;
  result.minimum = values.row(0);
  result.maximum = values.row(0);
  result.mean = Vector::Zero(values.cols());
  for (Index r = 0; r < values.rows(); ++r) {
    const auto row = values.row(r).transpose();
    result.minimum = result.minimum.cwiseMin(row);
    result.maximum = result.maximum.cwiseMax(row);
    result.mean += row / rows;
    result.nonzeros += (row.array() != 0.0).count();
  }
  // Rounding may leave the mean of equal values beside them.
  result.mean = result.mean.cwiseMax(result.minimum).cwiseMin(result.maximum);

  // Deviations are squared relative to the range, so that neither very large nor very small values are lost.
  const Vector range = result.maximum - result.minimum;
  const Vector divisor = (range.array() > 0.0).select(range, 1.0);
  Vector squares = Vector::Zero(values.cols());
  for (Index r = 0; r < values.rows(); ++r) {
    squares.array() += ((values.row(r).transpose() - result.mean).array() / divisor.array()).square();
  }
  result.standard_deviation = divisor.array() * (squares.array() / rows).sqrt();
  return result;
}

}  // namespace priorfit::internal

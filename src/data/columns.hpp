// Statistics of the columns of a matrix, passing over its rows in the order they lie in memory.
#pragma once

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct ColumnStatistics {
  Vector minimum, maximum, mean, standard_deviation;  // of the population: squares averaged over all rows
  Index nonzeros = 0;

  bool is_constant(Index column) const { return minimum[column] == maximum[column]; }
  Index constant_columns() const { return (minimum.array() == maximum.array()).count(); }
};

/// `values` has at least one row; all are finite.
ColumnStatistics column_statistics(const Matrix& values /* rows × columns */);

}  // namespace priorfit::internal

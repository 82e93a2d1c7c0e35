// The affine maps that preprocessing applies to columns, and their composition.
#pragma once

#include <string>
#include <vector>

#include "data/columns.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// A value becomes (value - shift) / scale.
struct Scaling {
  Vector shift, scale;  // columns

  static Scaling identity(Index columns) { return {Vector::Zero(columns), Vector::Ones(columns)}; }
  void apply(Matrix& values /* rows × columns */) const;
  /// This map first, then `next`.
  Scaling then(const Scaling& next) const;
};

/// What `preprocess` makes of columns with these statistics. A constant column has scale 1, so that it becomes 0.
/// Throws Error(data) for a column whose range is no finite number.
Scaling scaling_for(const ColumnStatistics& columns, Preprocess preprocess, const std::string& name);

/// Do the inputs depend on statistics of the rows? Pictures are divided by a constant instead.
bool fits_inputs(Preprocess preprocess, double pixel_maximum);
/// Numbers to be predicted are standardized whatever becomes of the inputs: prices of 2e5 would otherwise be out of
/// reach of every variance that is searched. Results are given in their own units.
bool fits_targets(Task task);
constexpr Preprocess target_preprocess = Preprocess::standardize;

/// The note that counts constant features; empty when there are none.
std::string constant_note(Index constant, Index features);

using Rows = std::vector<std::int64_t>;

/// Those rows, in that order.
Samples pick(const Samples& from, const Rows& rows);

/// Throws Error(data) when the rows hold a single class or a constant target.
void check_targets(const PreparedData& data);

}  // namespace priorfit::internal

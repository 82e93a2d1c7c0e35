// The processes that MPI started together, and the grid that matrices are dealt out over.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct GridShape {
  int rows = 1, columns = 1;
};

/// rows · columns = processes and rows <= columns, as square as can be: a wide grid factors faster than a tall one
/// (docs/scale.md).
GridShape usual_shape(int processes);

/// All processes of MPI, arranged in a grid. MPI is initialised before and finalised after.
class World {
 public:
  /// Throws Error(usage) unless the shape has as many places as there are processes.
  explicit World(const std::optional<GridShape>& shape = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int on_this_machine() const { return local_; }
  const GridShape& shape() const { return shape_; }
  int row() const { return row_; }
  int column() const { return column_; }
  int context() const { return context_; }

  void sum(double* values, Index count) const;
  double sum(double value) const;
  double least(double value) const;
  int largest(int value) const;
  /// Rank 0's values for all: searches that take the same steps everywhere must see the same bits.
  void agree(double* values, Index count) const;

 private:
  int rank_ = 0, size_ = 1, local_ = 1, row_ = 0, column_ = 0, context_ = 0;
  GridShape shape_;
};

}  // namespace priorfit::internal

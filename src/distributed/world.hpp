// The processes that MPI started together, and the grid that matrices are dealt out over.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct GridShape {
  int rows = 1, columns = 1;
};

/// rows · columns = processes and rows <= columns, as square as can be: a wide grid factors faster than a tall one
/// (docs/scale.md).
GridShape usual_shape(int processes);

/// Cores of a machine that fall to process `own` of those whose affinities these are: a core counts for each of the
/// processes that may run on it in equal parts. Bound to cores of its own it has all of them.
double share_of_cores(const std::vector<cpu_set_t>& affinities, std::size_t own);

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
  /// Those that fall to this process, of the cores that it and others of its machine may use.
  double share_of_cores() const { return cores_; }
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
  double cores_ = 1;
  GridShape shape_;
};

}  // namespace priorfit::internal

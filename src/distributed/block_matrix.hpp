// A matrix dealt out over the processes of a grid block by block, as ScaLAPACK wants it: block (I, J) belongs to
// process (I mod rows, J mod columns) of the grid, which keeps its blocks together in one column-major array.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "distributed/world.hpp"

namespace priorfit::internal {

/// A run of rows or columns that this process holds: global [first, first + count) lies at `local`.
struct LocalRun {
  Index first, count, local;
};

/// Of [0, size) dealt out in blocks to `processes`, those of process `own`, in order.
std::vector<LocalRun> local_runs(Index size, Index block, int own, int processes);
/// How many these are together.
Index local_size(Index size, Index block, int own, int processes);

class BlockMatrix {
 public:
  /// Entries are not initialised. Throws Error(resource) when memory is short.
  BlockMatrix(const World& world, Index rows, Index columns, Index row_block, Index column_block);

  const std::vector<LocalRun>& row_runs() const { return row_runs_; }
  const std::vector<LocalRun>& column_runs() const { return column_runs_; }
  Index leading() const { return leading_; }
  double* at(Index local_row, Index local_column) { return values_.get() + local_column * leading_ + local_row; }
  const double* at(Index local_row, Index local_column) const {
    return values_.get() + local_column * leading_ + local_row;
  }
  double* values() { return values_.get(); }
  const int* descriptor() const { return descriptor_.data(); }

 private:
  struct Release {
    void operator()(double* values) const;
  };

  std::vector<LocalRun> row_runs_, column_runs_;
  Index leading_;
  std::array<int, 9> descriptor_;
  std::unique_ptr<double, Release> values_;
};

}  // namespace priorfit::internal

#include "distributed/block_matrix.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "distributed/scalapack.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {

std::vector<LocalRun> local_runs(Index size, Index block, int own, int processes) {
  std::vector<LocalRun> runs;
  Index local = 0;
  for (Index first = own * block; first < size; first += processes * block) {
    const Index count = std::min(block, size - first);
    runs.push_back({first, count, local});
    local += count;
  }
  return runs;
}

Index local_size(Index size, Index block, int own, int processes) {
  const std::vector<LocalRun> runs = local_runs(size, block, own, processes);
  return runs.empty() ? 0 : runs.back().local + runs.back().count;
}

void BlockMatrix::Release::operator()(double* values) const { std::free(values); }

BlockMatrix::BlockMatrix(const World& world, Index rows, Index columns, Index row_block, Index column_block)
    : row_runs_(local_runs(rows, row_block, world.row(), world.shape().rows)),
      column_runs_(local_runs(columns, column_block, world.column(), world.shape().columns)),
      leading_(std::max<Index>(1, local_size(rows, row_block, world.row(), world.shape().rows))) {
  const Index local_columns = local_size(columns, column_block, world.column(), world.shape().columns);
  constexpr std::size_t page_bytes = std::size_t{2} << 20;
  const auto needed = static_cast<std::size_t>(leading_ * std::max<Index>(1, local_columns)) * sizeof(double);
  const std::size_t rounded = (needed + page_bytes - 1) / page_bytes * page_bytes;
  values_.reset(static_cast<double*>(std::aligned_alloc(page_bytes, rounded)));
  if (!values_) {
    throw Error(ErrorKind::resource, fmt::format("no memory for this rank's part of a {} × {} matrix: {} bytes were "
                                                 "asked for; use fewer samples or more ranks",
                                                 rows, columns, needed));
  }
  madvise(values_.get(), rounded, MADV_HUGEPAGE);
  const auto narrow = [](Index value) { return static_cast<int>(value); };
  const int m = narrow(rows), n = narrow(columns), mb = narrow(row_block), nb = narrow(column_block);
  const int zero = 0, context = world.context(), leading = narrow(leading_);
  int info = 0;
  descinit_(descriptor_.data(), &m, &n, &mb, &nb, &zero, &zero, &context, &leading, &info);
  if (info != 0) throw Error(ErrorKind::internal, fmt::format("descinit refused its argument {}", -info));
}

}  // namespace priorfit::internal

// The memory that criteria judge in. It is compared with what is free before an experiment begins, not when it comes to
// its largest size after hours.
#pragma once

#include <vector>

#include "experiment/store.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit::internal {

class JudgingMemory {
 public:
  /// largest: the sample of the largest size, which holds those of all others
  JudgingMemory(const NetworkSpec& network, const PreparedData& largest, const Kinds& kinds);

  /// At the peak; 0 for a training, and for criteria of which it is not known.
  double bytes(const std::string& kind, Index size) const;

  /// Throws Error(resource) that names the largest size that fits, unless each of these cells, one at a time, does
  /// within `free` bytes. Those that are done do not count.
  void require(const std::vector<Cell>& cells, double free) const;

  /// Of a process that has `free` bytes. Views this.
  Room room(double free) const;

 private:
  Index depth_, outputs_;
  Index groups_;  // of equal rows, which trained-risk takes as one
};

}  // namespace priorfit::internal

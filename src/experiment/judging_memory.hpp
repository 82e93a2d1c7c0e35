// The memory that criteria judge in. It is compared with what is free before an experiment begins, not when it comes to
// its largest size after hours.
#pragma once

#include <vector>

#include "experiment/store.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit::internal {

class JudgingMemory {
 public:
  /// largest: the sample of the largest size, which holds those of all others
  JudgingMemory(const ExperimentSpecification& specification, const PreparedData& largest, const Kinds& kinds);

  /// Throws Error(resource) that names the largest size that fits, unless each of these cells, one at a time, does
  /// within `free` bytes. Those that are done do not count.
  void require(const std::vector<Cell>& cells, double free) const;

  /// What all that judge on this machine may use together, now.
  static double usable();
  /// Views this. `usable`: of the machine that asks for a cell.
  Room room(double usable = JudgingMemory::usable()) const;

  /// Whether no other judge of such a cell would find room beside what is held after it.
  bool fills_the_machine(const Cell& cell) const;

 private:
  /// The least; 0 for a training, and for criteria of which it is not known.
  double bytes(const std::string& kind, Index size) const;
  /// With all that is taken where there is room for it.
  double most_bytes(const Cell& cell) const;

  Index depth_, outputs_;
  bool fits_noise_;
  Index groups_;  // of equal rows, which trained-risk takes as one
};

}  // namespace priorfit::internal

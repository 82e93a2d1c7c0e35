#include "experiment/judging_memory.hpp"

#include <algorithm>
#include <map>

#include "evidence/factorization.hpp"
#include "linalg/fits.hpp"
#include "risk/equal_rows.hpp"
#include "risk/risk_memory.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

constexpr double beside = 24e6;  // the database, the heartbeat's stack, matrices rounded to large pages

}  // namespace

JudgingMemory::JudgingMemory(const ExperimentSpecification& specification, const PreparedData& largest,
                             const Kinds& kinds)
    : depth_(specification.network.depth()),
      outputs_(largest.outputs()),
      fits_noise_(!specification.noise_variance),
      groups_(kinds.contains(risk_kind) ? find_equal_rows(largest.train.inputs).counts.size() : largest.train.size()) {}

double JudgingMemory::bytes(const std::string& kind, Index size) const {
  if (kind == evidence_kind) return evidence_bytes(size, outputs_, depth_);
  if (kind == risk_kind) return risk_bytes(std::min(size, groups_));
  return 0.0;
}

double JudgingMemory::most_bytes(const Cell& cell) const {
  double sum = bytes(cell.kind, cell.size);
  if (cell.kind == evidence_kind) {
    sum += static_cast<double>(PackedSymmetric::bytes(cell.size));  // X Xᵀ
    if (fits_noise_) sum += static_cast<double>(cell.size * cell.size) * sizeof(double);
  }
  return sum;
}

void JudgingMemory::require(const std::vector<Cell>& cells, double free) const {
  std::map<std::string, Index> largest;  // of each kind
  for (const Cell& cell : cells) {
    if (!cell.done) largest[cell.kind] = std::max(largest[cell.kind], cell.size);
  }
  const auto most = std::max_element(largest.begin(), largest.end(), [&](const auto& a, const auto& b) {
    return bytes(a.first, a.second) < bytes(b.first, b.second);
  });
  if (most == largest.end()) return;
  // What is named is to fit all of them.
  const auto bytes_for = [&](Index size) {
    double needed = 0.0;
    for (const auto& [kind, of_kind] : largest) needed = std::max(needed, bytes(kind, std::min(size, of_kind)));
    return needed + beside;
  };
  require_memory(most->first == evidence_kind ? "the evidence" : most->first, most->second, bytes_for, "sizes", free);
}

double JudgingMemory::usable() { return usable_share * static_cast<double>(shared_memory_left()); }

Room JudgingMemory::room(double usable) const {
  return {[this](const Cell& cell) { return most_bytes(cell); }, usable};
}

bool JudgingMemory::fills_the_machine(const Cell& cell) const { return most_bytes(cell) > usable(); }

}  // namespace priorfit::internal

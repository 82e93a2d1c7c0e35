// How many different values there are.
#pragma once

#include <cstdint>
#include <vector>

#include "priorfit/matrix.hpp"
#include "support/text_hash.hpp"

namespace priorfit::internal {

/// Numbers of 64 bits, each once, but the one of nothing but ones. By open addressing, which counts 200,000 of them
/// several times as fast as sorting does.
class BitsSet {
 public:
  /// Room for `expected` of them, so that the table need not grow.
  explicit BitsSet(Index expected) {
    std::size_t size = 16;
    for (; size < 2 * static_cast<std::size_t>(expected); size *= 2) --shift_;
    slots_.assign(size, free_slot);
  }

  bool add(std::uint64_t bits) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slots_[place(bits)];
    if (slot == bits) return false;
    slot = bits;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t free_slot = ~std::uint64_t{0};  // also the bits of a NaN

  std::size_t place(std::uint64_t bits) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (bits * multiplier_) >> shift_;
    while (slots_[at] != free_slot && slots_[at] != bits) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::uint64_t> before(2 * slots_.size(), free_slot);
    before.swap(slots_);
    --shift_;
    for (const std::uint64_t bits : before) {
      if (bits != free_slot) slots_[place(bits)] = bits;
    }
  }

  int shift_ = 60;
  const std::uint64_t multiplier_ = process_key().first | 1;  // a random odd one: no file can ask for one slot
  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};
/// Of `count` values, each `stride` behind the one before; NaN is none. Memory for twice as many values, at most.
Index distinct_values(const double* values, Index count, Index stride);

}  // namespace priorfit::internal

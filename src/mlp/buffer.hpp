// Arrays the vector passes stream: aligned to a cache line so that no vector load straddles two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace priorfit::internal {

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* values, std::size_t) { ::operator delete(values, alignment); }
  bool operator==(const CacheLineAllocator&) const { return true; }
};

template <typename T>
using Buffer = std::vector<T, CacheLineAllocator<T>>;

}  // namespace priorfit::internal

#include "allocation.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "support/memory.hpp"

// Eigen takes its memory from malloc and realloc, containers from operator new: all come through here, the first two by
// the linker's
// --wrap (cli/CMakeLists.txt). Only the program does so; a library has no business replacing any.
namespace {

std::atomic<std::size_t> failed{0};

void* noted(void* block, std::size_t size) {
  if (block == nullptr && size > 0) failed = size;
  return block;
}

void* checked(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void* __wrap_malloc(std::size_t size) { return noted(__real_malloc(size), size); }
void* __wrap_realloc(void* block, std::size_t size) { return noted(__real_realloc(block, size), size); }
}

void* operator new(std::size_t size) { return checked(std::malloc(size > 0 ? size : 1)); }

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (size + unit - 1) / unit * unit;
  return checked(noted(std::aligned_alloc(unit, rounded > 0 ? rounded : unit), size));
}

// std::stable_sort asks in this way and does with less when it is refused.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size > 0 ? size : 1); }

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace priorfit::cli {

std::size_t failed_allocation() { return failed; }

void share_heap_where_addresses_are_few() {
  if (internal::address_space_left() < std::numeric_limits<std::uint64_t>::max()) mallopt(M_ARENA_MAX, 1);
}

}  // namespace priorfit::cli

#include "arrays/matrix_memory.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {

void check_matrix_fits(Index rows, Index columns, const std::string& what) {
  std::uint64_t bytes = sizeof(double);
  const bool overflow = __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(rows), &bytes) ||
                        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(columns), &bytes);
  constexpr std::uint64_t always_allowed = std::uint64_t{1} << 24;  // asking the system costs more than it
  if (!overflow && bytes <= always_allowed) return;
  const std::uint64_t there = available_memory();
  if (!overflow && bytes <= there) return;
  throw Error(ErrorKind::resource, fmt::format("{}: {} rows × {} columns need {} bytes; {} are free", what, rows,
                                               columns, overflow ? "too many" : fmt::format("{}", bytes), there));
}

}  // namespace priorfit::internal

// The size of the allocation that failed, which std::bad_alloc does not carry.
#pragma once

#include <cstddef>

namespace priorfit::cli {

/// Bytes the last failed allocation asked for; 0 when none failed.
std::size_t failed_allocation();

}  // namespace priorfit::cli

// The size of the allocation that failed, which std::bad_alloc does not carry; and a heap for little room.
#pragma once

#include <cstddef>

namespace priorfit::cli {

/// Bytes the last failed allocation asked for; 0 when none failed.
std::size_t failed_allocation();

/// Each thread that allocates reserves 64 MB of addresses for a heap of its own. Under `ulimit -v` all share one: what
/// was found free before must be there when it is needed. Call before there are threads.
void share_heap_where_addresses_are_few();

}  // namespace priorfit::cli

// How much memory there is and how much was used.
#pragma once

#include <cstdint>

namespace priorfit {

/// Bytes that can be allocated without swapping: the kernel's estimate, or what the control group or `ulimit -v`
/// leaves when that is less.
std::uint64_t available_memory();

/// Largest resident size of this process so far.
std::uint64_t peak_memory();

}  // namespace priorfit

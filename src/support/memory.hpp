// How much memory there is and how much was used.
#pragma once

#include <cstdint>

namespace priorfit {

/// Bytes that can be allocated without swapping: the kernel's estimate, or the control group's limit when lower.
std::uint64_t available_memory();

/// Largest resident size of this process so far.
std::uint64_t peak_memory();

}  // namespace priorfit

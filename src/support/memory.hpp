// How much memory there is and how much was used.
#pragma once

#include <cstdint>

namespace priorfit::internal {

/// Bytes that can be allocated without swapping: the kernel's estimate, or what the control group or `ulimit -v`
/// leaves when that is less.
std::uint64_t available_memory();

/// Of these, what all processes of the machine or of the control group share: without `ulimit -v`, which holds for
/// each.
std::uint64_t shared_memory_left();

/// Bytes of addresses that `ulimit -v` leaves; the largest number when there is no such limit.
std::uint64_t address_space_left();

/// Largest resident size of this process so far.
std::uint64_t peak_memory();

}  // namespace priorfit::internal

// CRC-32 over several arrays, one after another.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <ranges>

namespace priorfit::internal {

/// zlib takes an empty array's null pointer for "start anew": such an array leaves the checksum as it is.
template <std::ranges::contiguous_range Values>
std::uint32_t add_to_checksum(std::uint32_t checksum, const Values& values) {
  const std::size_t bytes = std::ranges::size(values) * sizeof(*std::ranges::data(values));
  if (bytes == 0) return checksum;
  return static_cast<std::uint32_t>(
      crc32_z(checksum, reinterpret_cast<const Bytef*>(std::ranges::data(values)), bytes));
}

}  // namespace priorfit::internal

// Numbers in the small text files by which Linux tells about itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

namespace priorfit::internal {

inline constexpr std::uint64_t no_number = std::numeric_limits<std::uint64_t>::max();

/// The number a file begins with.
std::uint64_t read_number(const std::filesystem::path& path, std::uint64_t otherwise);

/// The number behind `wanted` in a file of such lines.
std::uint64_t read_entry(const std::filesystem::path& path, std::string_view wanted, std::uint64_t otherwise);

}  // namespace priorfit::internal

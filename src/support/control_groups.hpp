// Limits that Linux sets for a group of processes, such as a container: its own and those of every group around it,
// under control groups of version 1, of version 2, or both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace priorfit::internal {

class ControlGroups {
 public:
  /// Reads where this process belongs. `root`: the folder that holds proc/ and all that mounts name; tests build one.
  explicit ControlGroups(const std::filesystem::path& root = "/");

  /// Bytes that the tightest limit leaves; the largest number where there is none. Pages of files that were read count
  /// as used there, but give way when asked, so they are counted as free.
  std::uint64_t memory_left() const;

  /// Cores that the tightest quota grants, such as 1.5; infinity where there is none.
  double cores() const;

 private:
  std::vector<std::filesystem::path> version1_memory_, version1_cores_;  // this process's group first, then outwards
  std::vector<std::filesystem::path> version2_;
};

}  // namespace priorfit::internal

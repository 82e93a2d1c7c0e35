#include "support/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace priorfit {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number behind `wanted` in a file of such lines.
std::uint64_t read_entry(const char* path, std::string_view wanted, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::string name, rest;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    std::getline(file, rest);
    if (name == wanted) return value;
  }
  return otherwise;
}

std::uint64_t meminfo_available() {
  const std::uint64_t kibibytes = read_entry("/proc/meminfo", "MemAvailable:", unlimited);
  return kibibytes == unlimited ? unlimited : kibibytes * 1024;
}

std::uint64_t read_number(const char* path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : otherwise;  // "max" is no number
}

}  // namespace

std::uint64_t address_space_left() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::uint64_t used = read_number("/proc/self/statm", 0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

namespace {

/// What a container's limit leaves. Pages of files that were read count as used there, but give way when asked.
std::uint64_t control_group_left() {
  const std::uint64_t limit = read_number("/sys/fs/cgroup/memory.max", unlimited);
  if (limit == unlimited) return unlimited;
  const std::uint64_t used = read_number("/sys/fs/cgroup/memory.current", 0);
  const std::uint64_t files = read_entry("/sys/fs/cgroup/memory.stat", "inactive_file", 0);
  return limit - std::min(limit, used - std::min(used, files));
}

}  // namespace

std::uint64_t available_memory() { return std::min({meminfo_available(), control_group_left(), address_space_left()}); }

std::uint64_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace priorfit

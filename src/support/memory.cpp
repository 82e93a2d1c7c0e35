#include "support/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace priorfit {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t meminfo_available() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return unlimited;
}

std::uint64_t read_number(const char* path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : otherwise;  // "max" is no number
}

/// What `ulimit -v` leaves of the address space.
std::uint64_t address_space_left() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::uint64_t used = read_number("/proc/self/statm", 0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory() {
  const std::uint64_t limit = read_number("/sys/fs/cgroup/memory.max", unlimited);
  const std::uint64_t used = read_number("/sys/fs/cgroup/memory.current", 0);
  const std::uint64_t group = limit == unlimited ? unlimited : limit - std::min(limit, used);
  return std::min({meminfo_available(), group, address_space_left()});
}

std::uint64_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace priorfit

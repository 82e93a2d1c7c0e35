#include "support/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "support/control_groups.hpp"
#include "support/proc_files.hpp"

namespace priorfit::internal {
namespace {

std::uint64_t meminfo_available() {
  const std::uint64_t kibibytes = read_entry("/proc/meminfo", "MemAvailable:", no_number);
  return kibibytes == no_number ? no_number : kibibytes * 1024;
}

}  // namespace

std::uint64_t address_space_left() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_number;
  const std::uint64_t used = read_number("/proc/self/statm", 0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

std::uint64_t shared_memory_left() {
  static const ControlGroups groups;  // where it belongs; what is left there is read each time
  return std::min(meminfo_available(), groups.memory_left());
}

std::uint64_t available_memory() { return std::min(shared_memory_left(), address_space_left()); }

std::uint64_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace priorfit::internal

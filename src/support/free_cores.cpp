#include "support/free_cores.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "support/control_groups.hpp"

namespace priorfit::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* stat_file = "/proc/stat";
constexpr auto watched = std::chrono::milliseconds(50);  // five ticks of each core
constexpr auto holds = std::chrono::seconds(1);

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {  // more than 1024 of them
    for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); ++i) cores.push_back(static_cast<int>(i));
    return cores;
  }
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) cores.push_back(i);
  }
  return cores;
}

double own_ticks() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * static_cast<double>(sysconf(_SC_CLK_TCK));
}

ThreadChoice watch_cores() {
  const std::vector<int> cores = allowed_cores();
  const int allowed = static_cast<int>(cores.size());
  const double quota = ControlGroups().cores();
  if (allowed <= 1 || quota < 2) return choose_threads(allowed, quota, 0.0);
  const CoreTimes before = core_times(stat_file, cores);
  const double own = own_ticks();
  std::this_thread::sleep_for(watched);
  const double busy = busy_cores(before, core_times(stat_file, cores), own_ticks() - own, allowed);
  return choose_threads(allowed, quota, busy);
}

}  // namespace

CoreTimes core_times(const std::filesystem::path& file, const std::vector<int>& cores) {
  CoreTimes sum;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] == ' ') continue;
    std::istringstream words(line.substr(3));
    int core = 0;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, stolen = 0;
    words >> core >> user >> nice >> system >> idle >> waiting >> interrupts >> soft >> stolen;
    if (std::find(cores.begin(), cores.end(), core) == cores.end()) continue;
    const std::uint64_t busy = user + system + interrupts + soft + stolen;
    sum.busy += busy;
    sum.all += busy + nice + idle + waiting;
  }
  return sum;
}

double busy_cores(const CoreTimes& before, const CoreTimes& after, double own, int cores) {
  if (after.all <= before.all || after.busy < before.busy) return 0.0;  // no such figures here
  const double busy = static_cast<double>(after.busy - before.busy) - own;
  return std::max(0.0, busy) * cores / static_cast<double>(after.all - before.all);
}

std::string ThreadChoice::text(const std::string& flag) const {
  return fmt::format("threads: {}{}{} ({} {} repeats every digit)", threads, reason.empty() ? "" : ", as ", reason,
                     flag, threads);
}

ThreadChoice choose_threads(int allowed, double quota, double busy) {
  const int granted = std::isfinite(quota) && quota < allowed ? std::max(1, static_cast<int>(quota + 1e-9)) : allowed;
  const int taken = static_cast<int>(std::lround(std::clamp(busy, 0.0, static_cast<double>(allowed))));
  const int free = std::max(1, allowed - taken);
  ThreadChoice choice{std::min(granted, free), {}, granted > 1};
  if (choice.threads == allowed) return choice;
  choice.reason = granted <= free
                      ? fmt::format("a quota grants {:.3g} of {} cores", quota, allowed)
                      : fmt::format("of {} cores {} {} busy with others", allowed, taken, taken == 1 ? "is" : "are");
  return choice;
}

ThreadChoice choose_threads() {
  static std::mutex mutex;
  static ThreadChoice last;
  static Clock::time_point when;
  const std::lock_guard lock(mutex);
  if (when == Clock::time_point() || Clock::now() - when > holds) {
    last = watch_cores();
    when = Clock::now();
  }
  return last;
}

}  // namespace priorfit::internal

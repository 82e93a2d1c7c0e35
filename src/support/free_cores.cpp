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
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "support/control_groups.hpp"

namespace priorfit::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* stat_file = "/proc/stat";
constexpr auto watched = std::chrono::milliseconds(50);  // five ticks of each core
constexpr auto holds = std::chrono::seconds(1);
const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));

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
  return (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * ticks_per_second;
}

/// What the cores and this process did so far.
struct Moment {
  std::vector<int> allowed = allowed_cores();
  CoreTimes cores = core_times(stat_file, allowed);
  double own = own_ticks();
  Clock::time_point when = Clock::now();
};

/// Whether what came after it tells of neighbours as they are now. After a second they may be others, and 50 ms more
/// cost little; while this process kept several cores at work they got less than they want.
bool tells_of_now(const Moment& begun) {
  const std::chrono::duration<double> age = Clock::now() - begun.when;
  return age < holds && own_ticks() - begun.own < 1.2 * age.count() * ticks_per_second + 1;
}

ThreadChoice look_at_cores(std::optional<Moment> begun) {
  const double quota = ControlGroups().cores();
  const auto allowed = static_cast<int>(allowed_cores().size());
  if (allowed <= 1 || quota < 2) return choose_threads(allowed, quota, 0.0);
  if (!begun || !tells_of_now(*begun)) begun.emplace();
  std::this_thread::sleep_until(begun->when + watched);
  const double own = own_ticks() - begun->own;
  return choose_threads(allowed, quota, busy_cores(begun->cores, core_times(stat_file, begun->allowed), own, allowed));
}

std::mutex mutex;  // of all below
std::optional<Moment> watching;
std::optional<ThreadChoice> last;
Clock::time_point chosen;

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

void watch_cores() {
  const std::lock_guard lock(mutex);
  watching.emplace();
}

ThreadChoice choose_threads() {
  const std::lock_guard lock(mutex);
  if (!last || Clock::now() - chosen > holds) {
    last = look_at_cores(std::exchange(watching, std::nullopt));
    chosen = Clock::now();
  }
  return *last;
}

}  // namespace priorfit::internal

// How many cores are free for this process: what it may use (affinity, the quotas of its control groups) and what its
// neighbours leave. Beside a busy neighbour two threads that wait for each other are slower than one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace priorfit::internal {

/// Time that cores spent so far, in ticks of the system's clock.
struct CoreTimes {
  std::uint64_t busy = 0;  // for others than idling and processes that are nicer than most: those give way
  std::uint64_t all = 0;
};

/// Of these cores together, from a file like /proc/stat.
CoreTimes core_times(const std::filesystem::path& stat_file, const std::vector<int>& cores);

/// Cores that were busy on average between two such readings, without `own` ticks that this process took itself.
double busy_cores(const CoreTimes& before, const CoreTimes& after, double own, int cores);

/// How many threads, and why in half a sentence: "of 8 cores 3 are busy".
struct ThreadChoice {
  int threads = 1;
  std::string reason = {};  // why not all cores; empty: all of them
  bool by_load = false;     // another moment may give another number

  /// "threads: 1, as of 2 cores 1 is busy with others (--threads 1 repeats every digit)"; `flag`: what the caller calls
  /// it.
  std::string text(const std::string& flag) const;
};

/// At least 1. `allowed`: cores that the process may run on; `quota`: of its control groups; `busy`: of those allowed.
ThreadChoice choose_threads(int allowed, double quota, double busy);

/// For this process, now. Where more than one core is there, watches them for a twentieth of a second, less what has
/// gone by since watch_cores(); the answer holds for a second.
ThreadChoice choose_threads();

/// Begins to watch, so that choose_threads() within a second need not wait: what the process does meanwhile, such as
/// reading its data, is not taken for a neighbour's.
void watch_cores();

}  // namespace priorfit::internal

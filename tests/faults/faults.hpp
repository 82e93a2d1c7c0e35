// Runs of the program with one call of it made to fail.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace priorfit::cli {

using Words = std::vector<std::string>;

/// Hundreds of runs, each with its syncs: in memory where that can be.
inline const bool scratch_in_memory = [] {
  return access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", /*overwrite=*/0) == 0;
}();

struct FaultyRun {
  Outcome outcome;
  bool reached = false;  // whether the call came at all
};

/// priorfit with the n-th call of `kind` (shim.cpp) failing.
inline FaultyRun run_with_fault(const std::string& kind, int n, const Words& words) {
  const Scratch scratch;
  const std::string reached = scratch.path("reached");
  Words all = {"env", "LD_PRELOAD=" PRIORFIT_FAULT_SHIM, "PRIORFIT_FAULT=" + kind + ":" + std::to_string(n),
               "PRIORFIT_FAULT_REACHED=" + reached, PRIORFIT_BINARY};
  all.insert(all.end(), words.begin(), words.end());
  FaultyRun run;
  run.outcome = run_program(all);
  run.reached = std::filesystem::exists(reached);
  return run;
}

/// Calls `check` for each n until the program runs through without meeting the fault. Returns how many faults there
/// were.
inline int for_each_fault(const std::string& kind, const std::function<Words()>& prepare,
                          const std::function<void(const FaultyRun&)>& check) {
  for (int n = 1; n < 2000; ++n) {
    SCOPED_TRACE(kind + " " + std::to_string(n));
    const FaultyRun run = run_with_fault(kind, n, prepare());
    if (!run.reached) {
      EXPECT_EQ(run.outcome.code, 0) << run.outcome.err;
      return n - 1;
    }
    check(run);
    if (testing::Test::HasFailure()) return n;
  }
  ADD_FAILURE() << "no end of " << kind;
  return 2000;
}

/// Every file below a folder, by its path in it.
inline std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] = read_all(entry.path().string());
    }
  }
  return files;
}

/// A small table for regression.
inline std::string small_table(int rows = 40) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < rows; ++i) {
    text +=
        std::to_string(i % 7) + "," + std::to_string(i * i % 11) + "," + std::to_string((i * 5 + i * i) % 13) + ".5\n";
  }
  return text;
}

}  // namespace priorfit::cli

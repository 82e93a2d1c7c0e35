// How a long call runs: on how many threads, in how much memory, whom it tells how far it is, and how it is stopped.
//
//     RunContext context{.threads = 2, .progress = [](const Progress& p) { return show(p.stage, p.fraction); }};
//     recommend(data, network, options, context);
//
// Every long call of the library takes one and behaves the same when it is cancelled: it keeps what is durable
// (finished cells of an experiment, the checkpoint of a training) and throws Error(interrupted).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace priorfit {

struct Progress {
  std::string stage;                    // what is being done, such as "3 of 16 cells"
  std::optional<double> fraction = {};  // of the whole call, in [0, 1]; empty where its end is not known
};

struct RunContext {
  int threads = 0;                                     // 0: as many cores as are free now
  std::uint64_t memory_bytes = 0;                      // that matrices may take; 0: what is free
  std::function<bool(const Progress&)> progress = {};  // called between steps; false cancels

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;

  /// Calls progress(); throws Error(interrupted) naming the stage when it says stop.
  void report(const Progress& progress) const;
};

}  // namespace priorfit

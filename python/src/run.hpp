// Runs long work beside the interpreter: the interpreter's lock is free, Ctrl-C is seen, progress is shown.
//
//     Evidence result = run(call, [=](const RunContext& context) { return engine->evaluate(…); });
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "priorfit/context.hpp"

namespace priorfit::python {

namespace nb = nanobind;

/// How the caller wants a long call to run.
struct Call {
  int threads = 0;                   // 0: as many as OpenMP gives the calling thread
  nb::object progress = nb::none();  // called with (stage, fraction or None) some times a second
};

/// Does `work` on a thread of its own while the caller waits. A thread of its own has OpenMP workers of its own: a
/// child made by fork, whose workers are gone, starts new ones instead of waiting for ever. What `work` holds is given
/// up under the interpreter's lock. On Ctrl-C the work is told to stop; if it does not within half a second, it is left
/// to end by itself and KeyboardInterrupt is raised at once.
void run_beside(const Call& call, std::function<void(const RunContext&)> work);

template <typename Work>
auto run(const Call& call, Work work) {
  using Result = std::invoke_result_t<Work&, const RunContext&>;
  if constexpr (std::is_void_v<Result>) {
    run_beside(call, std::move(work));
  } else {
    auto result = std::make_shared<std::optional<Result>>();
    run_beside(call,
               [result, work = std::move(work)](const RunContext& context) mutable { result->emplace(work(context)); });
    return std::move(**result);
  }
}

/// From now on idle threads sleep soon while work is done, although libgomp was loaded before its setting could be
/// chosen.
void wait_briefly();

/// Waits for work that was left to end by itself; before the interpreter ends.
void wait_for_abandoned();

}  // namespace priorfit::python

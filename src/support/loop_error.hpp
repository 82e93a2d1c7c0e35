// Brings an exception out of an OpenMP loop, where one that is not caught inside ends the process.
//
//     LoopError error;
//     #pragma omp parallel for
//     for (Index i = 0; i < count; ++i) error.guard([&] { work(i); });
//     error.rethrow();
#pragma once

#include <exception>
#include <mutex>

namespace priorfit::internal {

class LoopError {
 public:
  template <typename Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }

  /// The first that was caught, if any. To be called after the loop.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace priorfit::internal

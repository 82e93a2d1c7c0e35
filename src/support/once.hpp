// std::call_once that exceptions may leave. libstdc++'s runs through pthread_once, whose C frames do not unwind
// everywhere; the thread sanitizer's do not.
#pragma once

#include <atomic>
#include <mutex>

namespace priorfit::internal {

class Once {
 public:
  /// The first call does the work while others wait. Work that throws is not done: the next call tries again.
  template <typename Work>
  void call(const Work& work) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    work();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
};

}  // namespace priorfit::internal

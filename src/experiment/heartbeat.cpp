#include "experiment/heartbeat.hpp"

#include "priorfit/error.hpp"

namespace priorfit::internal {

Heartbeat::Heartbeat(std::filesystem::path database, const Owner& owner, const Cell& cell,
                     std::chrono::milliseconds interval)
    : thread_([this, database = std::move(database), owner, cell, interval] { run(database, owner, cell, interval); }) {
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Heartbeat::run(const std::filesystem::path& database, const Owner& owner, const Cell& cell,
                    std::chrono::milliseconds interval) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) {
    try {
      // A connection of its own: SQLite's may not be shared between threads without care.
      Store(database, Database::Mode::existing, owner).beat(cell);
    } catch (const Error&) {  // a missed beat is no reason to stop; what matters fails again in the main thread
    }
  }
}

}  // namespace priorfit::internal

#include "experiment/heartbeat.hpp"

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

constexpr auto interval = std::chrono::seconds(15);

}  // namespace

Heartbeat::Heartbeat(std::filesystem::path database, const Owner& owner, const Cell& cell)
    : thread_([this, database = std::move(database), owner, cell] { run(database, owner, cell); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Heartbeat::run(const std::filesystem::path& database, const Owner& owner, const Cell& cell) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) {
    try {
      // A connection of its own: SQLite's may not be shared between threads without care.
      Store(database, Database::Mode::existing, owner).beat(cell);
    } catch (const Error&) {  // a missed beat is no reason to stop; what matters fails again in the main thread
    }
  }
}

}  // namespace priorfit

// Keeps a claimed cell's heartbeat fresh while long work, such as a factorisation, gives no chance to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "experiment/store.hpp"

namespace priorfit::internal {

class Heartbeat {
 public:
  Heartbeat(std::filesystem::path database, const Owner& owner, const Cell& cell,
            std::chrono::milliseconds interval = std::chrono::seconds(15));
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void run(const std::filesystem::path& database, const Owner& owner, const Cell& cell,
           std::chrono::milliseconds interval);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace priorfit::internal

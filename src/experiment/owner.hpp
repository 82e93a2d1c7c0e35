// Who holds a cell, and whether that process still lives.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace priorfit::internal {

/// `host` tells apart machines, boots and process namespaces: within one of them a process id and its start time name a
/// process for good.
struct Owner {
  std::string host;
  std::int64_t pid = 0;
  std::int64_t started = 0;  // clock ticks since boot

  auto operator<=>(const Owner&) const = default;
};

Owner this_process();

/// Also when they are in different containers.
bool on_one_machine(const Owner& a, const Owner& b);

/// A process on this host is alive when the process table has it; one elsewhere when its heartbeat is not older than 60
/// seconds, which a clock that is ahead can make true for ever: HeartbeatWatch.
bool is_alive(const Owner& owner, std::int64_t heartbeat, std::int64_t now);

std::int64_t unix_seconds();

/// Whose heartbeat has stopped, by the clock of the one who watches: the process is stopped or hangs, or its machine is
/// gone and had a clock that was ahead. Should it wake, what it brings is not taken any more (Store::finish).
class HeartbeatWatch {
 public:
  explicit HeartbeatWatch(std::chrono::milliseconds patience = std::chrono::seconds(60)) : patience_(patience) {}

  /// True when this heartbeat was seen before, that long ago, and none since.
  bool has_stopped(std::int64_t cell, const Owner& owner, std::int64_t heartbeat);

 private:
  struct Seen {
    Owner owner;
    std::int64_t heartbeat = 0;
    std::chrono::steady_clock::time_point since;
  };

  std::chrono::milliseconds patience_;
  std::map<std::int64_t, Seen> seen_;
};

}  // namespace priorfit::internal

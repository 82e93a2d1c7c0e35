// Who holds a cell, and whether that process still lives.
#pragma once

#include <cstdint>
#include <string>

namespace priorfit::internal {

/// `host` tells apart machines, boots and process namespaces: within one of them a process id and its start time name a
/// process for good.
struct Owner {
  std::string host;
  std::int64_t pid = 0;
  std::int64_t started = 0;  // clock ticks since boot

  bool operator==(const Owner&) const = default;
};

Owner this_process();

/// On this host the process table knows. Elsewhere only the heartbeat can tell, and it is trusted for 60 seconds.
bool is_alive(const Owner& owner, std::int64_t heartbeat, std::int64_t now);

std::int64_t unix_seconds();

}  // namespace priorfit::internal

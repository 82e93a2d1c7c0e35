#include "experiment/owner.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace priorfit::internal {
namespace {

constexpr std::int64_t heartbeat_limit = 60;

std::string first_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

std::string host_name() {
  std::error_code none;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return first_line("/proc/sys/kernel/random/boot_id") + " " + space + " " + name;
}

/// 0 when there is no such process, or when it has ended and only waits to be collected.
std::int64_t start_time(std::int64_t pid) {
  const std::string line = first_line("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;
  constexpr int fields_between = 18;  // state is the third of the line, the start time the 22nd
  for (int i = 0; i < fields_between; ++i) fields >> field;
  std::int64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

}  // namespace

Owner this_process() { return {host_name(), getpid(), start_time(getpid())}; }

bool on_one_machine(const Owner& a, const Owner& b) {
  const auto boot = [](const Owner& owner) { return owner.host.substr(0, owner.host.find(' ')); };
  return boot(a) == boot(b);
}

bool is_alive(const Owner& owner, std::int64_t heartbeat, std::int64_t now) {
  static const std::string here = host_name();
  if (owner.host == here) return start_time(owner.pid) == owner.started && owner.started != 0;
  return heartbeat >= now - heartbeat_limit;  // the database may hold any number: nothing is subtracted from it
}

bool HeartbeatWatch::has_stopped(std::int64_t cell, const Owner& owner, std::int64_t heartbeat) {
  const auto now = std::chrono::steady_clock::now();
  Seen& seen = seen_[cell];
  if (seen.owner != owner || seen.heartbeat != heartbeat) seen = {owner, heartbeat, now};
  return now - seen.since > patience_;
}

std::int64_t unix_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace priorfit::internal

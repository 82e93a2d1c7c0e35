#include "console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>

namespace priorfit::cli {
namespace {

volatile std::sig_atomic_t interrupt_received = 0;

void on_interrupt(int) { interrupt_received = 1; }

constexpr auto terminal_interval = std::chrono::milliseconds(100);
constexpr auto line_interval = std::chrono::seconds(10);
constexpr int bar_width = 24;

std::string bar(double fraction) {
  const int filled = static_cast<int>(std::lround(fraction * bar_width));
  std::string text;
  for (int i = 0; i < bar_width; ++i) text += i < filled ? "█" : "░";
  return text;
}

}  // namespace

void write_message(std::string_view text) noexcept {
  sigset_t broken_pipe, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EPIPE) {
      const timespec at_once = {};
      sigtimedwait(&broken_pipe, nullptr, &at_once);
    }
    if (count <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void fill_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Opened the wrong way round: a result that nobody can read is not done.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
}

void Console::say(const std::string& line) const {
  if (!quiet_) tell("{}\n", line);
}

ProgressBar::ProgressBar(const Console& console, std::string label)
    : quiet_(console.quiet()),
      terminal_(isatty(STDERR_FILENO) == 1),
      label_(std::move(label)),
      start_(Clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_ && terminal_) write_message("\r\033[K");
}

void ProgressBar::update(std::optional<double> known, const std::string& detail) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (now - last_ < (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(line_interval))) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (!known) {
    tell("{}{} for {}  {}{}", terminal_ ? "\r\033[K" : "", label_, duration_text(elapsed), detail,
         terminal_ ? "" : "\n");
    shown_ = true;
    return;
  }
  const double fraction = *known, here = fraction - started_at_;
  const std::string left = here > 0 ? duration_text(elapsed * (1.0 - fraction) / here) + " left" : std::string("…");
  if (terminal_) {
    tell("\r\033[K{} {} {:3.0f} %  {}  {}", label_, bar(fraction), 100 * fraction, left, detail);
  } else {
    tell("{} {:.0f} %, {}  {}\n", label_, 100 * fraction, left, detail);
  }
  shown_ = true;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  return fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6));
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second Ctrl-C ends the process at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_received != 0; }

}  // namespace priorfit::cli

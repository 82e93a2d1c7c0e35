#include "console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "support/text.hpp"

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

/// A line as several of at most so many columns, where a single blank allows it; those after the first are indented.
std::string broken(std::string line, std::size_t columns, std::size_t indent) {
  std::string out;
  for (;;) {
    std::size_t cut = 0, column = 0, i = 0;
    for (; i < line.size() && column <= columns; ++i) {
      if ((static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U) continue;  // within a character
      const bool single =
          i > indent && i + 1 < line.size() && line[i] == ' ' && line[i - 1] != ' ' && line[i + 1] != ' ';
      if (single) cut = i;
      ++column;
    }
    if (column <= columns || cut == 0) return out + line;
    out += line.substr(0, cut) + "\n";
    line = std::string(indent, ' ') + line.substr(cut + 1);
  }
}

}  // namespace

bool shows_colour(int descriptor) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

namespace {

std::size_t columns_to_fill() {
  winsize size = {};
  const bool known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40;
  return known ? std::min<std::size_t>(100, size.ws_col) : 100;
}

}  // namespace

std::string help_for_people(const std::string& text) {
  const std::size_t columns = columns_to_fill();
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += broken(text.substr(begin, end - begin), columns, text[begin] == ' ' ? help_column : 0) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string for_people(const std::string& text) {
  const std::size_t columns = columns_to_fill();
  const bool colour = shows_colour(STDOUT_FILENO);
  const std::string safe = internal::printable(text);
  std::string out;
  for (std::size_t begin = 0; begin < safe.size();) {
    const std::size_t end = std::min(safe.find('\n', begin), safe.size());
    std::string_view line(safe.data() + begin, end - begin);
    begin = end + 1;
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const bool is_answer =
        line.starts_with("Keep ") || line.starts_with("Change ") || line.starts_with("Recommended: ");
    if (colour && is_answer) out += "\033[1m";
    out += blanks < 4 ? broken(std::string(line), columns, blanks + 4) : std::string(line);
    if (colour && is_answer) out += "\033[0m";
    out += '\n';
  }
  return out;
}

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

std::string printable_line(std::string_view text) {
  std::string out;
  for (const char c : internal::printable(text)) out += c == '\n' ? std::string("\\x0a") : std::string(1, c);
  return out;
}

void Console::say(const std::string& line) const {
  if (!quiet_) tell("{}\n", printable_line(line));
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

// What a person sees while a command runs: messages and progress on stderr, so that stdout holds the result only.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace priorfit::cli {

/// Writes to stderr. A message that cannot be written (a full disk, a closed pipe, no stderr at all) is dropped: it
/// changes neither the result nor the exit code.
void write_message(std::string_view text) noexcept;

/// A formatted message, put together without memory of its own as long as it is short.
template <typename... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  write_message({text.data(), text.size()});
}

/// Where stdin, stdout or stderr is closed, a file opened later would get its number, and messages would go into a
/// result. Fills such gaps so that reading and writing fail as before.
void fill_closed_streams();

/// Whether `descriptor` is a terminal that shows colour; NO_COLOR and TERM=dumb are heeded.
bool shows_colour(int descriptor);

/// A result for people: sentences wrapped at 100 columns, or at the terminal's where it is narrower; tables and lines
/// to paste as they are; control characters escaped; the answer in bold where colour is shown.
std::string for_people(const std::string& text);

/// Without control characters, line breaks included: a name must not begin a line of its own.
std::string printable_line(std::string_view text);

/// What --help prints, descriptions from this column on, wrapped likewise.
constexpr std::size_t help_column = 30;
std::string help_for_people(const std::string& text);

class Console {
 public:
  explicit Console(bool quiet) : quiet_(quiet) {}

  /// One line on stderr, unless --quiet.
  void say(const std::string& line) const;
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
};

/// A bar with the time left on a terminal; elsewhere a line every 10 seconds. Clears itself when destroyed.
class ProgressBar {
 public:
  ProgressBar(const Console& console, std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// What was done before, so that the time left is told from the work of this run alone.
  void start_at(double fraction) { started_at_ = fraction; }

  /// `fraction` of the whole in [0, 1], empty when it is not known; `detail` stands behind the bar.
  void update(std::optional<double> fraction, const std::string& detail);

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  double started_at_ = 0.0;
  std::string label_;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// "850 ms", "12 s", "3 min 20 s", "2 h 5 min"
std::string duration_text(double seconds);

/// "1.60 GB"
std::string bytes_text(double bytes);

/// SIGINT and SIGTERM set a flag instead of killing the process; long operations ask for it between steps.
void catch_interrupts();
bool interrupted();

}  // namespace priorfit::cli

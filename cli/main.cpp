#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <system_error>

#include "allocation.hpp"
#include "argument_names.hpp"
#include "command.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "invocation.hpp"
#include "numbers.hpp"
#include "priorfit/error.hpp"
#include "priorfit/version.hpp"
#include "ranks.hpp"
#include "support/free_cores.hpp"
#include "support/text.hpp"
#include "waiting.hpp"
#include "words.hpp"

namespace {

using priorfit::ErrorKind;

bool may_draw_rows = false;  // the command has --samples

enum ExitCode { done = 0, internal = 1, usage = 2, bad_data = 3, numerical = 4, io = 5, resource = 6, interrupt = 130 };

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return usage;
    case ErrorKind::data: return bad_data;
    case ErrorKind::numerical: return numerical;
    case ErrorKind::io: return io;
    case ErrorKind::resource: return resource;
    case ErrorKind::interrupted: return interrupt;
    case ErrorKind::internal: return internal;
  }
  return internal;
}

/// The command the user named, or the program itself when none was understood.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* subcommand : priorfit::cli::shown_commands(command)) words.push_back(subcommand->get_name());
  return words;
}

/// What comes from files and the command line may be long and hold anything; a message fits a screen.
std::string shown(const std::string& message) {
  constexpr std::size_t screen = 1600;  // 20 lines
  std::string text = priorfit::cli::printable_line(message);
  if (text.size() <= screen) return text;
  std::size_t begin = screen / 2, end = text.size() - screen / 4;  // not within a character
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return text.substr(0, begin) + " […] " + text.substr(end);
}

/// Why the run ends, with exit code. Of several ranks that met an error one tells it; a rank that met it alone says who
/// it is.
template <typename... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  using namespace priorfit::cli;
  let_first_rank_speak();
  fmt::memory_buffer text;  // without memory of its own as long as it is short
  if (!speaks()) fmt::format_to(std::back_inserter(text), "rank {}: ", rank());
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  const bool colour = shows_colour(2);
  tell("{}priorfit:{} {}\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "",
       std::string_view(text.data(), text.size()));
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  const std::string name = &command == &app ? "priorfit" : "priorfit " + command.get_name();
  std::string message = error.what();
  if (const auto left = app.remaining(true); !left.empty()) {
    const std::string word = left.front().substr(0, left.front().find('='));
    const bool is_flag = word.starts_with("-");
    message = fmt::format("{} '{}' is unknown{}",
                          is_flag            ? "flag"
                          : &command == &app ? "command"
                                             : "argument",
                          word, priorfit::internal::suggestion(word, known_words(command)));
  }
  complain("{}\nSee: {} --help", shown(message), name);
  return usage;
}

/// What is still in the buffer may meet a full disk or a closed pipe: a result that is not there must not look done.
void flush_result() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw priorfit::Error(ErrorKind::io, fmt::format("cannot write the result: {}", std::strerror(errno)));
  }
}

/// What has no form for several ranks says so before any work.
void check_ranks(const CLI::App& app) {
  const std::string command = chosen_command(app).get_name();
  const bool shares = command == "recommend" || command == "predict" || command == "experiment";
  if (!priorfit::cli::several_ranks() || shares) return;
  throw priorfit::Error(ErrorKind::usage,
                        fmt::format("{} works in one process, and {} were started: leave out mpirun; recommend, "
                                    "predict and experiment share their work",
                                    command, priorfit::cli::ranks()));
}

int run(int argc, char** argv) {
  CLI::App app("Chooses a neural network's initialisation from your data, before you train.", "priorfit");
  app.set_version_flag(
      "-V,--version",
      [] {
        return fmt::format("priorfit {}\n{}", priorfit::version(), priorfit::build_facts(priorfit::cli::has_mpi()));
      },
      "version, and what this build computes with");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(priorfit::cli::help_column);
  priorfit::cli::Action action;
  priorfit::cli::add_recommend(app, action);
  priorfit::cli::add_init(app, action);
  priorfit::cli::add_train(app, action);
  priorfit::cli::add_predict(app, action);
  priorfit::cli::add_experiment(app, action);
  priorfit::cli::add_kernel(app, action);
  priorfit::cli::add_phase(app, action);
  priorfit::cli::add_simulate(app, action);
  priorfit::cli::add_data(app, action);
  priorfit::cli::add_prepare(app, action);
  priorfit::cli::add_report(app, action);
  priorfit::cli::add_meta_commands(app, action);
  priorfit::cli::understand_numbers(app);
  if (argc == 2 && std::strcmp(argv[1], "help") == 0) {
    fmt::print("{}", priorfit::cli::help_for_people(app.help()));
    flush_result();
    return done;
  }
  if (argc > 2 && std::strcmp(argv[1], "complete") == 0) {  // "complete -- WORDS…", which only shells call
    for (const std::string& line : priorfit::cli::completions(app, {argv + 3, argv + argc})) fmt::print("{}\n", line);
    flush_result();
    return done;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return report_usage(app, error);
    std::ostringstream text;  // --help and --version
    app.exit(error, text, text);
    fmt::print("{}", priorfit::cli::help_for_people(text.str()));
    flush_result();
    return done;
  }
  may_draw_rows = chosen_command(app).get_option_no_throw("--samples") != nullptr;
  if (action) {
    check_ranks(app);
    action();
  } else {
    fmt::print("{}", priorfit::cli::help_for_people(app.help()));
  }
  flush_result();
  return action || argc == 1 ? done : usage;
}

int report_error(const priorfit::Error& error) {
  // Ctrl-C reaches all ranks, some of them in the middle of a long step.
  if (!priorfit::cli::speaks() && error.kind() == ErrorKind::interrupted) return interrupt;
  const std::size_t bytes = error.kind() == ErrorKind::resource ? priorfit::cli::failed_allocation() : 0;
  const std::string message = priorfit::cli::with_flags(error.what());
  const bool known = bytes == 0 || message.find(" bytes") != std::string::npos;
  complain("{}{}", shown(message), known ? "" : fmt::format("; {} bytes were asked for", bytes));
  return exit_code(error.kind());
}

int run_safely(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const priorfit::Error& error) {
    return report_error(error);
  } catch (const std::bad_alloc&) {
    if (const std::size_t bytes = priorfit::cli::failed_allocation(); bytes > 0) {
      complain("not enough memory: {} bytes were asked for{}", bytes,
               may_draw_rows ? "; try fewer rows with --samples" : "");
    } else {
      complain("not enough memory: more bytes were asked for than can be addressed");
    }
    return resource;
  } catch (const std::system_error& error) {
    complain("{}", shown(error.what()));
    return io;
  } catch (const std::exception& error) {
    complain("internal error: {}", error.what());
    return internal;
  }
}

}  // namespace

int main(int argc, char** argv) {
  priorfit::cli::wait_briefly(argv);
  priorfit::cli::fill_closed_streams();
  priorfit::cli::share_heap_where_addresses_are_few();
  std::signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f` a write fails as on a full disk, and is reported as that
  priorfit::cli::join_ranks(argv);
  priorfit::internal::watch_cores();
  priorfit::cli::catch_interrupts();
  priorfit::cli::remember_invocation(argc, argv);
  return priorfit::cli::leave_ranks(run_safely(argc, argv));
}

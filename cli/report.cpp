// priorfit report: the HTML page for a result folder.
#include "priorfit/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>

#include <cstring>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "priorfit/experiment.hpp"
#include "support/file_io.hpp"

extern char** environ;

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  std::string folder;
  bool open = false;
};

/// Hands the page to the desktop and does not wait for it. False when there is none.
bool open_in_browser(const std::filesystem::path& page) {
#ifdef __APPLE__
  std::string program = "open";
#else
  std::string program = "xdg-open";
#endif
  std::string path = std::filesystem::absolute(page).string();
  char* arguments[] = {program.data(), path.data(), nullptr};
  posix_spawn_file_actions_t quietly;
  posix_spawn_file_actions_init(&quietly);
  posix_spawn_file_actions_addopen(&quietly, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quietly, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &quietly, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quietly);
  return error == 0;
}

/// An experiment that was killed has its database only.
void write_missing_results(const std::filesystem::path& folder) {
  const std::filesystem::path results = folder / "experiment.json";
  if (std::filesystem::exists(results) || !std::filesystem::exists(folder / "experiment.sqlite")) return;
  write_file(results, to_json(read_experiment(folder)));
}

void run(const Flags& flags) {
  write_missing_results(flags.folder);
  const std::filesystem::path page = write_report(flags.folder);
  fmt::print("{}\n", page.string());
  if (flags.open && !open_in_browser(page)) {
    Console(false).say("xdg-open is not here to show it; open the file in a browser");
  }
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("report", "one HTML page for a folder that --out has filled");
  command->add_option("DIR", flags->folder, "folder with the result files; report.html is written there")->required();
  command->add_flag("--open", flags->open, "show it in the browser");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli

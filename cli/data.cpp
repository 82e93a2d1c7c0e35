// priorfit data: which named data sets are here, or what one holds.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  LoadOptions load;
  std::string task = "auto";
  std::string format = "table";
};

void run(const Flags& flags) {
  if (flags.format != "table" && flags.format != "json") {
    throw Error(ErrorKind::usage, fmt::format("--format '{}' is unknown (table, json){}", flags.format,
                                              suggestion(flags.format, {"table", "json"})));
  }
  const bool json = flags.format == "json";
  if (flags.load.source.empty()) {
    const auto known = known_datasets();
    fmt::print("{}", json ? to_json(known) : to_table(known));
    return;
  }
  LoadOptions load = flags.load;
  if (flags.task != "auto") load.task = parse_task(flags.task);
  const DatasetDescription description = describe(load_dataset(load));
  fmt::print("{}", json ? to_json(description) : to_table(description));
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("data", "which data sets are here, or what one holds");
  command->add_option("DATA", flags->load.source, "file, folder or name to describe; none: list the names");
  command->add_option("--targets", flags->load.targets, "targets for an .npy DATA, as .npy");
  command->add_option("--target", flags->load.target_column,
                      "target column, by name or 1-based number (default: the last)");
  command->add_option("--task", flags->task, "auto, classification or regression")->capture_default_str();
  command->add_option("--format", flags->format, "table or json")->capture_default_str();
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli

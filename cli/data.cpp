// priorfit data: which named data sets are here, or what one holds.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"
#include "table_flags.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  std::string source;
  TableFlags table;
  std::string format = "table";
};

void run(const Flags& flags) {
  if (flags.format != "table" && flags.format != "json") {
    throw Error(ErrorKind::usage, fmt::format("--format '{}' is unknown (table, json){}", flags.format,
                                              suggestion(flags.format, {"table", "json"})));
  }
  const bool json = flags.format == "json";
  if (flags.source.empty()) {
    const auto known = known_datasets();
    fmt::print("{}", json ? to_json(known) : to_table(known));
    return;
  }
  DatasetDescription description = describe(load_dataset(flags.table.options(flags.source)));
  for (std::string& note : description.notes) note = note_with_flags(note);
  fmt::print("{}", json ? to_json(description) : to_table(description));
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("data", "which data sets are here, or what one holds");
  command->add_option("DATA", flags->source, "file, folder or name to describe, - for stdin; none: list the names");
  flags->table.add_to(*command);
  command->add_option("--format", flags->format, "table or json")->capture_default_str();
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli

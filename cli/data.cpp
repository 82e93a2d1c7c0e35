// priorfit data: which named data sets are here, or what one holds.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"
#include "table_flags.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  std::string source;
  TableFlags table;
  std::string format = "table";
};

enum class Shape { table, json, markdown };

Shape shape_of(const std::string& format) {
  if (format == "table") return Shape::table;
  if (format == "json") return Shape::json;
  if (format == "markdown") return Shape::markdown;
  throw Error(ErrorKind::usage, fmt::format("--format '{}' is unknown (table, json, markdown){}", format,
                                            suggestion(format, {"table", "json", "markdown"})));
}

template <typename Result>
void show(const Result& result, Shape shape) {
  switch (shape) {
    case Shape::table: fmt::print("{}", for_people(to_table(result))); break;
    case Shape::json: fmt::print("{}", to_json(result)); break;
    case Shape::markdown: fmt::print("{}", printable(to_markdown(result))); break;
  }
}

void run(const Flags& flags) {
  const Shape shape = shape_of(flags.format);
  if (flags.source.empty()) return show(known_datasets(), shape);
  DatasetDescription description = describe(load_dataset(flags.table.options(flags.source)));
  for (std::string& note : description.notes) note = note_with_flags(note);
  show(description, shape);
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("data", "which data sets are here, or what one holds");
  command->add_option("DATA", flags->source, "file, folder or name to describe, - for stdin; none: list the names");
  flags->table.add_to(*command);
  command->add_option("--format", flags->format, "table, json or markdown")->capture_default_str();
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli

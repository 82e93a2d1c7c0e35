// priorfit prepare: what a network of a result sees of other rows.
#include <fmt/format.h>

#include <memory>

#include "arrays/npy.hpp"
#include "arrays/npz_archive.hpp"
#include "command.hpp"
#include "console.hpp"
#include "overwrite.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "table_flags.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  std::string source;
  TableFlags table;
  std::string from;
  std::string out;
  bool python = false;
  bool force = false;
  bool quiet = false;
};

// Whole numbers as int64, which is what labels are in Python.
std::string labels_bytes(const std::vector<int>& labels) {
  std::string bytes = npy_preamble("<i8", {static_cast<Index>(labels.size())});
  for (const std::int64_t label : labels) bytes.append(reinterpret_cast<const char*>(&label), sizeof label);
  return bytes;
}

void write(const PreparedRows& rows, const std::string& path) {
  std::vector<NpzEntry> entries = {{"X", npy_bytes(rows.inputs)}};
  if (!rows.labels.empty()) entries.push_back({"y", labels_bytes(rows.labels)});
  if (rows.targets.rows() > 0) {
    const bool single = rows.targets.cols() == 1;
    entries.push_back(
        {"y", npy_bytes(rows.targets, single ? std::vector<Index>{rows.targets.rows()} : std::vector<Index>{})});
  }
  write_file(path, npz_archive(entries));
}

void run(const Flags& flags) {
  const Preparation preparation = read_preparation(flags.from);
  if (flags.python) {
    fmt::print("{}", paste_preparation(preparation, preparation_file(flags.from).string()));
    return;
  }
  if (flags.source.empty()) throw Error(ErrorKind::usage, "prepare needs DATA, the rows to prepare, or --python");
  if (flags.out.empty()) throw Error(ErrorKind::usage, "prepare needs --out X.npz, the file to write");
  check_file(flags.out, "prepare", {flags.source, flags.table.targets(), flags.from}, flags.force);
  const Console console(flags.quiet);
  const PreparedRows rows = apply(preparation, flags.table.options(flags.source));
  for (const std::string& note : rows.notes) console.say("  note: " + note_with_flags(note));
  write(rows, flags.out);
  console.say(fmt::format("wrote {}: X with {} rows × {} features{}", flags.out, rows.inputs.rows(), rows.inputs.cols(),
                          rows.labels.empty() && rows.targets.rows() == 0 ? "" : ", and y"));
}

}  // namespace

void add_prepare(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("prepare", "other rows, prepared as those of a result were");
  command->add_option("DATA", flags->source, "file or folder, as for the command that made the result; - for stdin");
  flags->table.add_to(*command);
  command->add_option("--from", flags->from, "result folder or file that holds the recipe")->required();
  command->add_option("--out", flags->out, ".npz to write: arrays X and, where the target is there, y");
  command->add_flag("--python", flags->python, "print the recipe as lines of Python instead");
  command->add_flag("--force", flags->force, "replace a file that is not prepared rows");
  command->add_flag("--quiet", flags->quiet, "no messages on stderr");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli

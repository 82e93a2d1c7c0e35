#include "overwrite.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "priorfit/error.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

namespace fs = std::filesystem;

struct Results {
  std::string command;
  std::vector<std::string> marks;  // either says whose folder it is
  std::vector<std::string> files;  // all of them
};

const std::vector<Results>& all_results() {
  static const std::vector<Results> list = {
      {"recommend",
       {"recommendation.json"},
       {"recommendation.json", "grid.csv", "init_torch.py", "init_keras.py", "init_flax.py", "prepare.py"}},
      {"predict", {"prediction.json"}, {"prediction.json", "predictions.csv"}},
      {"train",
       {"training.json", "unfinished.json", "checkpoint"},
       {"training.json", "unfinished.json", "checkpoint", "history.csv", "weights.safetensors"}},
      {"experiment", {"experiment.sqlite"}, {"experiment.sqlite", "experiment.json", "specification.toml"}},
      {"simulate", {"simulation.json"}, {"simulation.json", "seeds.csv"}},
      {"phase", {"phase.json"}, {"phase.json", "phase.csv"}},
  };
  return list;
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

void check_inputs(const fs::path& file, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input.empty() || !is_same(file, input)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} is read by this command and would be replaced by its result: give "
                                              "another --out",
                                              file.string()));
  }
}

std::string beginning(const fs::path& file) {
  std::array<char, 256> bytes = {};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(stream.gcount())};
}

bool is_weights(const fs::path& file) {
  try {
    load_weights(file);
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::resource) throw;
    return false;
  }
}

/// Whether the file looks like an earlier result of the same command.
bool is_own(const fs::path& file, const std::string& command) {
  if (command == "init") return is_weights(file);
  const std::string bytes = beginning(file);
  if (bytes.empty()) return true;
  if (command == "prepare") return bytes.starts_with("PK") && bytes.find("X.npy") != std::string::npos;
  if (file.extension() == ".csv") {
    const std::string line = bytes.substr(0, bytes.find('\n'));
    return line.starts_with("row,") && line.find("mean_") != std::string::npos;
  }
  const std::size_t shape = bytes.find("'shape': (");
  if (!bytes.starts_with("\x93NUMPY") || bytes.find("'<f8'") == std::string::npos || shape == std::string::npos) {
    return false;
  }
  const std::string sizes = bytes.substr(shape + 10, bytes.find(')', shape) - shape - 10);
  const std::size_t comma = sizes.find(", ");
  if (comma == std::string::npos) return false;
  if (command == "predict") return sizes.starts_with("2, ") && sizes.find(", ", comma + 2) != std::string::npos;
  return sizes.substr(0, comma) == sizes.substr(comma + 2);  // a kernel is square
}

}  // namespace

void check_folder(const fs::path& folder, const std::string& command, const std::vector<std::string>& inputs,
                  bool force) {
  for (const Results& results : all_results()) {
    const bool own = results.command == command;
    for (const std::string& name : results.files) {
      if (own || force) check_inputs(folder / name, inputs);
    }
    if (own || force) continue;
    for (const std::string& mark : results.marks) {
      if (!fs::exists(folder / mark)) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("--out {} holds results of `{}` ({}): give another folder, or --force to replace them",
                              folder.string(), results.command, mark));
    }
  }
}

void remove_other_results(const fs::path& folder, const std::string& command) {
  for (const Results& results : all_results()) {
    if (results.command == command) continue;
    for (const std::string& name : results.files) {
      std::error_code error;
      if (!fs::remove(folder / name, error) && error && error != std::errc::no_such_file_or_directory &&
          error != std::errc::not_a_directory) {
        throw Error(ErrorKind::io, fmt::format("{}: cannot be removed: {}", (folder / name).string(), error.message()));
      }
    }
  }
}

void check_file(const fs::path& file, const std::string& command, const std::vector<std::string>& inputs, bool force) {
  check_inputs(file, inputs);
  std::error_code error;
  if (force || !fs::is_regular_file(file, error) || is_own(file, command)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} is there already and was not written by `{}`: give another --out, or --force to replace it",
                  file.string(), command));
}

}  // namespace priorfit::cli

// Flags that say how DATA is to be read, for every command that reads it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "priorfit/dataset.hpp"

namespace priorfit::cli {

/// --targets --target --task --arrays --ignore --only --categorical --numeric --missing --decimal --separator
/// --no-header
class TableFlags {
 public:
  void add_to(CLI::App& command);
  /// Throws Error(usage) for a value that a flag does not take.
  LoadOptions options(const std::string& source) const;
  const std::string& targets() const { return targets_; }

 private:
  std::string targets_, target_, arrays_, ignore_, only_, categorical_, numeric_, decimal_, separator_;
  std::string task_ = "auto";
  std::string missing_ = "median";
  bool no_header_ = false;
};

/// A note of the library, which names options, as a person at the command line reads it: with flags.
std::string note_with_flags(const std::string& note);

}  // namespace priorfit::cli

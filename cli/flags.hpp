// Flags that several commands share, and how they become library options.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "priorfit/context.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/network.hpp"
#include "priorfit/recommendation_file.hpp"
#include "support/text.hpp"
#include "table_flags.hpp"

namespace priorfit::cli {

/// DATA, how to read it (TableFlags), --samples --seed --preprocess
class DataFlags {
 public:
  void add_to(CLI::App& command, const std::string& default_source = "");
  /// --test-data --test-fraction, for commands that measure on rows they did not learn from.
  void add_test_to(CLI::App& command);
  /// Lets --samples take the word auto and makes it the default; call before add_to().
  void allow_automatic_samples() { samples_ = "auto"; }
  /// Loads, draws and preprocesses; says on stderr what was read.
  PreparedData read(const Console& console) const;

  PrepareOptions prepare;
  const std::string& source() const { return source_; }
  /// Every file that is read.
  std::vector<std::string> inputs() const { return {source_, table_.targets(), test_source_}; }
  /// --samples auto: read() then gives all rows, and how many are used is the command's choice.
  bool samples_automatic() const { return samples_ == "auto"; }

 private:
  std::string source_;
  TableFlags table_;
  std::string test_source_;
  std::string samples_;
  std::string preprocess_ = "auto";
};

/// --depth --activation --width, or --widths
class NetworkFlags {
 public:
  void add_to(CLI::App& command);
  NetworkSpec spec() const;
  /// Depth and activation of a recommendation, where the user gave none; Error(usage) where the user's differ. Without
  /// one as spec().
  NetworkSpec spec(const std::optional<StoredRecommendation>& recommended) const;

 private:
  Index depth_ = 1;
  Index width_ = 2000;
  std::string widths_;
  CLI::Option* width_option_ = nullptr;
  std::string activation_ = "relu";
  CLI::Option* depth_option_ = nullptr;
  CLI::Option* activation_option_ = nullptr;
};

/// What --activation takes, for its help.
std::string activation_help();

enum class Format { table, json, csv, markdown };

/// How many threads a command uses that was asked for so many, 0: as many as are free. Says so where it was a choice.
int threads_for_command(int asked, const Console& console);

/// Any result that has the four forms, on stdout.
template <typename Result>
void print(const Result& result, Format format) {
  switch (format) {
    case Format::table: fmt::print("{}", for_people(to_table(result))); break;
    case Format::json: fmt::print("{}", to_json(result)); break;
    case Format::csv: fmt::print("{}", to_csv(result)); break;
    case Format::markdown: fmt::print("{}", internal::printable(to_markdown(result))); break;
  }
}

/// --format --out --quiet --threads, and --report where the result has a page
class OutputFlags {
 public:
  void add_to(CLI::App& command);
  void add_report_to(CLI::App& command);
  Format format() const;
  Console console() const;                                         // silent unless this rank speaks
  const std::filesystem::path& folder() const { return folder_; }  // empty: no files wanted
  int threads() const { return threads_; }
  /// For a long call of the library: --threads, and `bar` as its progress; Ctrl-C cancels. `bar` must outlive it.
  RunContext context(ProgressBar& bar) const;
  /// Creates --out and checks that it can be written, and that --report can be met; call before any long work.
  /// Throws Error(io), or Error(usage) for --report without --out.
  /// `inputs` are files that are read: none of them is replaced (overwrite.hpp).
  void prepare_folder(const std::vector<std::string>& inputs = {}) const;
  void check_folder(const std::filesystem::path& folder, const std::vector<std::string>& inputs) const;
  bool force() const { return force_; }
  /// Nothing without --report. Throws Error(usage) when `folder` is empty, Error(io) when this build has no page.
  void check_report(const std::filesystem::path& folder) const;
  /// Before new result files are written: takes a page of earlier results away, so that it never stands beside
  /// figures that it does not show, whatever happens between. True if there was one.
  [[nodiscard]] bool remove_old_page(const std::filesystem::path& folder) const;
  /// When the result files are there: writes the page if --report asks for it, and again where `had_page`.
  void write_page(const std::filesystem::path& folder, bool had_page) const;
  bool report() const { return report_; }

 private:
  std::string format_ = "table";
  std::filesystem::path folder_;
  bool quiet_ = false;
  bool report_ = false;
  bool force_ = false;
  std::string command_;
  int threads_ = 0;
};

/// "0.4,1.2,2" -> numbers; throws Error(usage) naming the flag and the offending entry.
std::vector<double> parse_number_list(const std::string& flag, const std::string& text);
double parse_number(const std::string& flag, const std::string& text);
long parse_whole_number(const std::string& flag, const std::string& text);

}  // namespace priorfit::cli

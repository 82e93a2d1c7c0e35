#include "flags.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "linalg/threads.hpp"
#include "numbers.hpp"
#include "overwrite.hpp"
#include "priorfit/error.hpp"
#include "priorfit/report.hpp"
#include "ranks.hpp"
#include "support/text.hpp"

namespace priorfit::cli {
using namespace internal;

void DataFlags::add_to(CLI::App& command, const std::string& default_source) {
  source_ = default_source;
  auto* source = command.add_option("DATA", source_,
                                    "table (.csv, .tsv, .txt, .jsonl, .gz; - for stdin), .npy with --targets, .npz, a "
                                    "folder of pictures, or a name: digits, mnist, fashion-mnist, cifar10");
  if (default_source.empty()) {
    source->required();
  } else {
    source->capture_default_str();
  }
  table_.add_to(command);
  if (samples_automatic()) {
    command
        .add_option("--samples", samples_,
                    "rows to draw without replacement; 0: all; auto: all up to 2000 rows, above that as many as it "
                    "takes for the answer to settle")
        ->capture_default_str();
  } else {
    command.add_option("--samples", prepare.samples, "rows to draw without replacement; 0: all")->capture_default_str();
  }
  command.add_option("--seed", prepare.seed, "of every random draw")->capture_default_str();
  command
      .add_option("--preprocess", preprocess_,
                  "auto (unit for images, standardize for tables, none for .npy), unit, standardize, center, none")
      ->capture_default_str();
}

void DataFlags::add_test_to(CLI::App& command) {
  prepare.test_fraction = 0.2;
  command.add_option("--test-data", test_source_, "rows to test on, where DATA has no test split of its own");
  command
      .add_option("--test-fraction", prepare.test_fraction,
                  "share of the rows held out for the test, where there is neither")
      ->capture_default_str();
}

PreparedData DataFlags::read(const Console& console) const {
  const LoadOptions load = table_.options(source_);
  PrepareOptions options = prepare;
  if (preprocess_ != "auto") options.preprocess = parse_preprocess(preprocess_);
  if (!samples_.empty() && !samples_automatic()) {
    options.samples = static_cast<Index>(parse_whole_number("--samples", samples_));
  }
  if (options.samples < 0) {
    throw Error(ErrorKind::usage, fmt::format("--samples is {}: it must be 0 (all rows) or more", options.samples));
  }
  if (several_ranks() && load.source == "-") {
    throw Error(ErrorKind::usage, "DATA is -: stdin reaches one rank only; name a file that every rank can read");
  }
  console.say(fmt::format("reading {} …", load.source));
  Dataset dataset = load_dataset(load);
  if (!test_source_.empty()) {
    LoadOptions test = load;
    test.source = test_source_;
    use_as_test(dataset, load_like(dataset, test));
  }
  PreparedData data = priorfit::prepare(std::move(dataset), options);
  console.say(fmt::format("read {}: {} rows × {} features, {} with {} output{}", data.name, data.rows, data.features(),
                          to_string(data.task), data.outputs(), data.outputs() == 1 ? "" : "s"));
  for (const std::string& note : data.notes) console.say("  note: " + note_with_flags(note));
  return data;
}

void NetworkFlags::add_to(CLI::App& command) {
  depth_option_ = command.add_option("--depth", depth_, "hidden layers")->capture_default_str();
  width_option_ = command.add_option("--width", width_, "units in each hidden layer")->capture_default_str();
  command.add_option("--widths", widths_, "units of every hidden layer, instead of --depth and --width: 256,128");
  activation_option_ = command.add_option("--activation", activation_, activation_help())->capture_default_str();
}

std::string activation_help() {
  return join(Activation::names()) + "; with a slope below 0 of your own as leaky_relu:0.2";
}

NetworkSpec NetworkFlags::spec() const {
  if (widths_.empty()) return NetworkSpec::uniform(depth_, width_, Activation::parse(activation_));
  if (depth_option_->count() + width_option_->count() > 0) {
    throw Error(ErrorKind::usage, "--widths names every hidden layer: leave out --depth and --width");
  }
  NetworkSpec network{.hidden_widths = {}, .activation = Activation::parse(activation_)};
  for (const double width : parse_number_list("--widths", widths_)) {
    if (width < 1 || width != std::floor(width) || width > 1e9) {
      throw Error(ErrorKind::usage, fmt::format("--widths holds {}: each must be a whole number, at least 1", width));
    }
    network.hidden_widths.push_back(static_cast<Index>(width));
  }
  network.validate();
  return network;
}

NetworkSpec NetworkFlags::spec(const std::optional<StoredRecommendation>& recommended) const {
  if (!recommended) return spec();
  const auto check = [](const char* flag, const CLI::Option* option, const auto& given, const auto& wanted) {
    if (option->count() > 0 && given != wanted) {
      throw Error(ErrorKind::usage, fmt::format("{} is {}: the recommendation is for {}", flag, given, wanted));
    }
  };
  check("--depth", depth_option_, depth_, recommended->depth);
  check("--activation", activation_option_, Activation::parse(activation_).name(), recommended->activation.name());
  if (!widths_.empty()) {
    const NetworkSpec own = spec();
    NetworkSpec network = recommended->network(width_);
    if (own.depth() != recommended->depth) {
      throw Error(ErrorKind::usage, fmt::format("--widths has {} entries: the recommendation is for depth {}",
                                                own.depth(), recommended->depth));
    }
    network.hidden_widths = own.hidden_widths;
    return network;
  }
  return recommended->network(width_);
}

int threads_for_command(int asked, const Console& console) {
  const bool shared = asked == 0 && several_ranks() && !threads_are_set();
  const ThreadChoice choice = shared ? threads_of_rank() : threads_for_call(asked);
  if (choice.by_load || !choice.reason.empty()) console.say(choice.text("--threads"));
  return choice.threads;
}

void OutputFlags::add_to(CLI::App& command) {
  command.add_option("--format", format_, "table, json, csv or markdown")->capture_default_str();
  command.add_option("--out", folder_, "folder for the result files");
  command.add_flag("--quiet", quiet_, "no messages or progress on stderr");
  command.add_option("--threads", threads_, "0: as many cores as are free")->capture_default_str();
  command.add_flag("--force", force_, "replace results of another command in --out");
  command_ = command.get_name();
}

void OutputFlags::add_report_to(CLI::App& command) {
  command.add_flag("--report", report_, "also write the result as a page, report.html, to --out");
}

Console OutputFlags::console() const { return Console(quiet_ || !speaks()); }

Format OutputFlags::format() const {
  if (format_ == "table") return Format::table;
  if (format_ == "json") return Format::json;
  if (format_ == "csv") return Format::csv;
  if (format_ == "markdown") return Format::markdown;
  throw Error(ErrorKind::usage, fmt::format("--format '{}' is unknown{} (table, json, csv, markdown)", format_,
                                            suggestion(format_, {"table", "json", "csv", "markdown"})));
}

RunContext OutputFlags::context(ProgressBar& bar) const {
  return {.threads = threads_for_command(threads_, console()), .progress = [&bar](const Progress& now) {
            bar.update(now.fraction, now.stage);
            return !interrupted();
          }};
}

void OutputFlags::check_folder(const std::filesystem::path& folder, const std::vector<std::string>& inputs) const {
  cli::check_folder(folder, command_, inputs, force_);
}

void OutputFlags::prepare_folder(const std::vector<std::string>& inputs) const {
  check_report(folder_);
  if (folder_.empty()) return;
  check_folder(folder_, inputs);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!error && ::access(folder_.c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
  if (error) {
    throw Error(ErrorKind::io,
                fmt::format("--out {}: the folder cannot be written: {}", folder_.string(), error.message()));
  }
}

void OutputFlags::check_report(const std::filesystem::path& folder) const {
  if (!report_) return;
  if (folder.empty()) throw Error(ErrorKind::usage, "--report needs --out DIR, a folder to write report.html to");
  require_report();
}

bool OutputFlags::remove_old_page(const std::filesystem::path& folder) const {
  if (folder.empty()) return false;
  if (force_ && std::filesystem::is_directory(folder)) remove_other_results(folder, command_);
  const std::filesystem::path page = folder / "report.html";
  std::error_code error;
  const bool had_page = std::filesystem::remove(page, error);
  if (error && error != std::errc::not_a_directory) {
    throw Error(ErrorKind::io,
                fmt::format("{}: this page of earlier results cannot be removed: {}", page.string(), error.message()));
  }
  return had_page;
}

void OutputFlags::write_page(const std::filesystem::path& folder, bool had_page) const {
  if (!report_ && !had_page) return;
  try {
    console().say(fmt::format("wrote {}", write_report(folder).string()));
  } catch (const Error& error) {
    if (report_) throw;
    console().say(
        fmt::format("report.html, of earlier results, was removed; a new one cannot be written: {}", error.what()));
  }
}

double parse_number(const std::string& flag, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not a finite number", flag, text));
  }
  return value;
}

long parse_whole_number(const std::string& flag, const std::string& text) {
  long value = 0;
  const std::string digits = whole_number_digits(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw Error(ErrorKind::usage, fmt::format("{} is '{}': it must be a whole number", flag, text));
  }
  return value;
}

std::vector<double> parse_number_list(const std::string& flag, const std::string& text) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    numbers.push_back(parse_number(flag, text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return numbers;
}

}  // namespace priorfit::cli

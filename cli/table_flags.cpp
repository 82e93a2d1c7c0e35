#include "table_flags.hpp"

#include <fmt/format.h>

#include "argument_names.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::cli {
namespace {

// "a,b" -> a, b; a name with a comma is given by number.
std::vector<std::string> names_of(const std::string& flag, const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    if (names.back().empty()) {
      throw Error(ErrorKind::usage, fmt::format("{} '{}': an empty name between commas", flag, text));
    }
    at = end + 1;
  }
  return names;
}

std::optional<char> separator_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "blank" || text == "blanks" || text == "space") return ' ';
  if (text.size() == 1 && std::string_view(",;|:\t ").find(text[0]) != std::string_view::npos) return text[0];
  throw Error(ErrorKind::usage, fmt::format("--separator is '{}': give one of , ; | : tab or blank", text));
}

std::optional<char> decimal_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "." || text == ",") return text[0];
  throw Error(ErrorKind::usage, fmt::format("--decimal is '{}': give . or ,", text));
}

}  // namespace

void TableFlags::add_to(CLI::App& command) {
  command.add_option("--targets", targets_, "targets for an .npy DATA, as .npy");
  command.add_option("--arrays", arrays_, "arrays of an .npz: inputs,targets[,test inputs,test targets]");
  command.add_option("--target", target_, "target column, by name or 1-based number (default: the last)");
  command.add_option("--task", task_, "auto, classification or regression")->capture_default_str();
  command.add_option("--ignore", ignore_, "columns to leave out, by name or number: a,b,3");
  command.add_option("--only", only_, "columns to use, and no others");
  command.add_option("--categorical", categorical_, "columns of names, even if they look like numbers");
  command.add_option("--numeric", numeric_, "columns of numbers, even if they look like an index or names");
  command.add_option("--missing", missing_, "missing numbers: median or mean of the column, drop the row, error")
      ->capture_default_str();
  command.add_option("--decimal", decimal_, "decimal mark, . or , (default: found)");
  command.add_option("--separator", separator_, ", ; | : tab or blank (default: found)");
  command.add_flag("--no-header", no_header_, "the first line is a row");
}

LoadOptions TableFlags::options(const std::string& source) const {
  LoadOptions options;
  options.source = source;
  options.targets = targets_;
  options.target_column = target_;
  if (task_ != "auto") options.task = parse_task(task_);
  options.arrays = names_of("--arrays", arrays_);
  options.table.ignore = names_of("--ignore", ignore_);
  options.table.only = names_of("--only", only_);
  options.table.categorical = names_of("--categorical", categorical_);
  options.table.numeric = names_of("--numeric", numeric_);
  options.table.missing = parse_missing(missing_);
  options.table.decimal = decimal_of(decimal_);
  options.table.separator = separator_of(separator_);
  options.table.no_header = no_header_;
  return options;
}

std::string note_with_flags(const std::string& note) {
  std::string text = with_flags(note);
  const std::string_view mark = "(task = ";
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), "(--task ");
  return text;
}

}  // namespace priorfit::cli

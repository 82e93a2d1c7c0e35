#include "completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "data/dialect.hpp"
#include "data/source_text.hpp"
#include "priorfit/activation.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/recommend.hpp"
#include "support/text.hpp"
#include "words.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

constexpr const char* files = ":files";

const std::map<std::string, std::vector<std::string>>& fixed_values() {
  static const std::map<std::string, std::vector<std::string>> values = {
      {"--format", {"table", "json", "csv", "markdown"}},
      {"--task", {"auto", "classification", "regression"}},
      {"--preprocess", {"auto", "unit", "standardize", "center", "none"}},
      {"--missing", {"median", "mean", "drop", "error"}},
      {"--separator", {",", ";", "|", ":", "tab", "blank"}},
      {"--scheme", {"he", "lecun", "glorot", "keras", "pytorch"}},
      {"--current", {"pytorch", "keras", "he", "lecun", "glorot"}},
      {"--framework", {"torch", "keras", "flax", "none"}},
      {"--loss", {"squared", "cross-entropy"}},
      {"--optimizer", {"adam", "adamw", "sgd"}},
      {"--risk-optimizer", {"adam", "gradient-descent"}},
      {"--predict-optimizer", {"adam", "gradient-descent"}},
      {"--learning-rate-decay", {"constant", "cosine"}},
      {"--layout", {"torch", "keras"}},
      {"--grid", {"paper"}},
      {"--preset", {"paper-curves", "paper-table"}},
      {"--samples", {"auto", "0"}},
  };
  return values;
}

/// Names in the first line of a table; none where it cannot be read.
std::vector<std::string> columns_of(const std::string& path) {
  constexpr std::uintmax_t too_large_to_unpack = 20'000'000;
  if (!std::filesystem::is_regular_file(path)) return {};
  if (path.ends_with(".gz") && std::filesystem::file_size(path) > too_large_to_unpack) return {};
  const SourceText source(path);
  constexpr std::size_t enough = 1 << 16;
  std::string_view sample = source.text();
  sample.remove_prefix(std::min(read_prologue(sample).length, sample.size()));
  if (sample.size() > enough) {
    const std::size_t end = sample.rfind('\n', enough);
    sample = sample.substr(0, end == std::string_view::npos ? enough : end + 1);
  }
  const TableDialect dialect = detect_dialect(sample, {});
  if (!dialect.header) return {};
  std::vector<std::string> fields;
  RecordSplitter(sample, dialect.separator, dialect.quote).next(fields);
  return fields;
}

const CLI::Option* flag_named(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && option->check_name(word)) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option* option) { return option != nullptr && option->get_type_size() != 0; }

/// DATA as far as it was typed: --data, or the first word that is neither a flag nor a flag's value.
std::string data_of(const CLI::App& command, const std::vector<std::string>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i].starts_with("-") && words[i].size() > 1) {
      if (words[i] == "--data") return words[i + 1];
      if (takes_value(flag_named(command, words[i]))) ++i;
      continue;
    }
    return words[i];
  }
  return {};
}

std::vector<std::string> values_of(const CLI::App& command, const std::string& flag,
                                   const std::vector<std::string>& words) {
  if (flag == "--activation") return Activation::names();
  if (flag == "--criterion") {
    std::vector<std::string> names = {"auto"};
    for (const CriterionInfo& info : known_criteria()) names.emplace_back(info.name);
    return names;
  }
  if (flag == "--target" && command.get_name() != "simulate") return columns_of(data_of(command, words));
  if (flag == "--ignore" || flag == "--only" || flag == "--categorical" || flag == "--numeric") {
    // "a,b,": what was typed of a list stays before the next column.
    const std::string& typed = words.back();
    const std::string before = typed.substr(0, typed.rfind(',') + 1);
    std::vector<std::string> columns = columns_of(data_of(command, words));
    for (std::string& column : columns) column.insert(0, before);
    return columns;
  }
  if (flag == "--format" && command.get_name() == "data") return {"table", "json", "markdown"};
  if (flag == "--data") return {"digits", "mnist", "fashion-mnist", "cifar10", files};
  if (flag == "--target") return {"paths", "mean"};
  if (const auto found = fixed_values().find(flag); found != fixed_values().end()) return found->second;
  const bool is_path =
      flag == "--out" || flag == "--from" || flag == "--targets" || flag == "--test-data" || flag == "--specification";
  return is_path ? std::vector<std::string>{files} : std::vector<std::string>{};
}

std::vector<std::string> positionals_of(const CLI::App& app, const CLI::App& command) {
  const std::string& name = command.get_name();
  if (name == "completion") return {"bash", "zsh", "fish"};
  if (name == "help") {
    std::vector<std::string> names;
    for (const CLI::App* each : shown_commands(app)) names.push_back(each->get_name());
    return names;
  }
  const auto options = command.get_options();
  const auto takes = [&](const char* word) {
    return std::any_of(options.begin(), options.end(),
                       [&](const CLI::Option* o) { return o->get_positional() && o->get_name(true) == word; });
  };
  if (takes("DATA")) return {"digits", "mnist", "fashion-mnist", "cifar10", files};
  return takes("DIR") ? std::vector<std::string>{files} : std::vector<std::string>{};
}

std::vector<std::string> candidates(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> lines;
  if (words.size() < 2) {
    for (const CLI::App* command : shown_commands(app)) {
      lines.push_back(command->get_name() + "\t" + command->get_description());
    }
    lines.insert(lines.end(), {"--help\tall commands", "--version\twhat this build is"});
    return lines;
  }
  const CLI::App& command = *app.get_subcommand(words.front());
  const std::string& before = words[words.size() - 2];
  if (words.size() > 2 && takes_value(flag_named(command, before))) return values_of(command, before, words);
  if (!words.back().starts_with("-")) return positionals_of(app, command);
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      lines.push_back(fmt::format("--{}\t{}", name, option->get_description()));
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) noexcept {
  try {
    const std::string typed = words.empty() ? std::string() : words.back();
    std::vector<std::string> lines;
    for (const std::string& line : candidates(app, words)) {
      if (line == files || line.starts_with(typed)) lines.push_back(printable(line.substr(0, line.find('\n'))));
      // The one character between a word and its meaning that is a control character.
      if (!lines.empty()) {
        if (const std::size_t tab = lines.back().find("\\x09"); tab != std::string::npos)
          lines.back().replace(tab, 4, "\t");
      }
    }
    return lines;
  } catch (...) {
    return {};
  }
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") {
    return R"sh(# bash completion for priorfit: source <(priorfit completion bash)
_priorfit() {
  local cur words cword line IFS=$'\n'
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
  fi
  COMPREPLY=()
  while read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$cur"))
    else
      COMPREPLY+=("$(printf %q "${line%%$'\t'*}")")
    fi
  done < <("${words[0]}" complete -- "${words[@]:1:cword}" 2>/dev/null)
}
complete -F _priorfit priorfit
)sh";
  }
  if (shell == "zsh") {
    return R"sh(#compdef priorfit
# zsh completion for priorfit: source <(priorfit completion zsh), or this file as _priorfit in $fpath
_priorfit() {
  local line word meaning with_files=
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      with_files=1
      continue
    fi
    word=${line%%$'\t'*}
    meaning=
    [[ $line == *$'\t'* ]] && meaning=${line#*$'\t'}
    found+=("${word//:/\\:}${meaning:+:$meaning}")
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#found} )) && _describe priorfit found
  [[ -n $with_files ]] && _files
  return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _priorfit "$@"; else compdef _priorfit priorfit; fi
)sh";
  }
  if (shell == "fish") {
    return R"sh(# fish completion for priorfit: priorfit completion fish | source
function __priorfit_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c priorfit -f -a '(__priorfit_complete)'
)sh";
  }
  throw Error(ErrorKind::usage, fmt::format("shell '{}' is unknown{} (bash, zsh, fish)", shell,
                                            suggestion(shell, {"bash", "zsh", "fish"})));
}

}  // namespace priorfit::cli

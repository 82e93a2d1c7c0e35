// What a shell offers for the word that is being typed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace priorfit::cli {

/// A line is a word, or a word, a tab and what it means; ":files" stands for the names of files, too. `words`: all that
/// was typed after "priorfit", the last one unfinished and perhaps empty. Never throws: a shell is listening.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) noexcept;

/// For bash, zsh or fish; throws Error(usage) for another shell.
std::string completion_script(const std::string& shell);

}  // namespace priorfit::cli

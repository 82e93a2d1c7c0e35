// The commands and flags there are, for help, man pages and completion.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace priorfit::cli {

/// Without those that only shells call.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// "[OPTIONS] [DATA]"
std::string usage_of(const CLI::App& command);

/// Up to the first full stop, without it.
std::string first_sentence(const std::string& text);

/// help, man and completion: commands about the commands.
void add_meta_commands(CLI::App& app, std::function<void()>& action);

}  // namespace priorfit::cli

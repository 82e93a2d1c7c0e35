// Pages for man(1), from the same commands and flags as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace priorfit::cli {

/// priorfit(1), or priorfit-recommend(1) and so on, in troff's man macros.
std::string man_page(const CLI::App& app, const CLI::App& command);

}  // namespace priorfit::cli

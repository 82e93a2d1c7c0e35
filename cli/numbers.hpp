// Numbers as people type them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace priorfit::cli {

/// "1e3", "1000.0" and "1_000" as "1000"; anything else as it is.
std::string whole_number_digits(const std::string& text);

/// Every flag of every command that takes a number: 1e3 is understood where a count is meant, and what is not a number
/// or below 0 is refused in the program's own words.
void understand_numbers(CLI::App& app);

}  // namespace priorfit::cli

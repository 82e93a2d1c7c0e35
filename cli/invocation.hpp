// The command the user typed, kept with each result so that it can be made again.
#pragma once

#include <string>

namespace priorfit::cli {

/// Call once, before any command runs.
void remember_invocation(int argc, const char* const* argv);

/// "priorfit recommend 'my table.csv' --samples 500"
const std::string& invocation();

}  // namespace priorfit::cli

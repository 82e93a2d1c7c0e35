// What the library calls an argument, and what the user typed for it.
#pragma once

#include <map>
#include <string>

namespace priorfit::cli {

/// "weight_bounds" -> "--weight-bounds"
const std::map<std::string, std::string>& argument_names();

/// A message of the library with its arguments replaced by the flags that set them, as whole words.
std::string with_flags(const std::string& message);

}  // namespace priorfit::cli

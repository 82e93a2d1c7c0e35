// The part of TOML that a specification needs: sections, and keys with text, numbers, booleans or lists of them. Not
// read, and refused: dates, tables in braces, lists of lists, text over several lines, numbers to another base than
// ten.
//
// toml++ read specifications at first, until fuzzing had shown five places where it runs into undefined behaviour.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct TomlValue {
  std::variant<bool, std::int64_t, double, std::string, std::vector<TomlValue>> content;
};

struct TomlEntry {
  std::string key;  // with its section: "training.epochs"
  Index line = 0;   // of the file, from 1
  TomlValue value;
};

/// In the order of the file. Throws Error(data), naming `name` and the line, where the text is not of that form.
std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& name);

}  // namespace priorfit::internal

#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace priorfit::cli {
namespace {

bool is_digits(const std::string& text) {
  const std::size_t first = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
}

/// What CLI11 converts next, or its error.
std::string checked(const std::string& flag, const std::string& text, bool whole, bool below_zero) {
  if (!whole) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return text;
    throw CLI::ParseError(fmt::format("{} is '{}': it must be a number", flag, text), CLI::ExitCodes::ConversionError);
  }
  const std::string digits = whole_number_digits(text);
  if (!is_digits(digits) || (!below_zero && digits.starts_with('-')) || digits.size() > 20) {
    throw CLI::ParseError(
        fmt::format("{} is '{}': it must be a whole number{}", flag, text, below_zero ? "" : ", at least 0"),
        CLI::ExitCodes::ConversionError);
  }
  return digits;
}

}  // namespace

std::string whole_number_digits(const std::string& text) {
  if (is_digits(text)) return text;
  std::string plain = text;
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  if (is_digits(plain)) return text.starts_with('_') || text.ends_with('_') ? text : plain;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && value == std::floor(value);
  constexpr double exact = 9007199254740992.0;  // 2^53: beyond it a double is not the number that was typed
  return is_whole && std::abs(value) <= exact ? fmt::format("{:.0f}", value) : text;
}

void understand_numbers(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      const bool whole = type == "INT" || type == "UINT";
      if (!whole && type != "FLOAT") continue;
      const std::string flag = option->get_name();
      option->transform([flag, whole, type](const std::string& text) {
        return checked(flag, text, whole, /*below_zero=*/type == "INT");
      });
    }
  }
}

}  // namespace priorfit::cli

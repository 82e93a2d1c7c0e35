// Numbers, truth values and missing values as text. No locale takes part in any of it.
#pragma once

#include <optional>
#include <string_view>

namespace priorfit::internal {

enum class Numeral { finite, not_finite, missing, text };

/// Empty, ?, NA, NaN, null and their like, in any case.
bool is_missing(std::string_view field);

/// Words for what is not known: missing among numbers, a level like any other among words.
bool is_unknown(std::string_view field);

/// true, yes, t, y, on and 1; false, no, f, n, off and 0; in any case.
std::optional<bool> truth_value(std::string_view field);

/// One field without surrounding blanks. A number too small for a double becomes 0.
Numeral read_plain(std::string_view field, char decimal, double& value);

/// Also a number as it is written for people, `dressed`: $1,234.50, 12 %, 1'000, (5.0) for -5, € and other currencies.
/// The percent sign is passed over, not divided by.
Numeral read_number(std::string_view field, char decimal, double& value, bool* dressed = nullptr);

/// Digits only, the first a 0 and not the only one: 00704 is a code.
bool has_leading_zero(std::string_view field);

}  // namespace priorfit::internal

// Small text helpers that messages need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace priorfit {

/// The candidate with the smallest edit distance to `word`, or empty when none is close enough to be a likely slip.
std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// A word as a POSIX shell reads it: as it is when plain, else in single quotes.
std::string shell_quoted(std::string_view word);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// `text` as one field of a CSV line: quoted where it has to be.
std::string csv_field(std::string_view text);

}  // namespace priorfit

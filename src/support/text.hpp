// Small text helpers that messages need.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace priorfit::internal {

/// The candidate with the smallest edit distance to `word`, or empty when none is close enough to be a likely slip.
std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// The name people may have meant: lower case, blanks and hyphens as underscores, and where `others` holds such a word
/// the one beside it: usual_name("Swish", {{"swish", "silu"}}) is "silu".
std::string usual_name(std::string_view name,
                       const std::vector<std::pair<std::string_view, std::string_view>>& others = {});

/// Control characters, line breaks excepted, and bytes that are no UTF-8 as \x1b: names in files must not move a
/// terminal's cursor.
std::string printable(std::string_view text);

/// Digits and nothing else, at least one.
bool all_digits(std::string_view text);

/// A word as a POSIX shell reads it: as it is when plain, else in single quotes.
std::string shell_quoted(std::string_view word);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Characters of UTF-8, as far as they are one column wide.
std::size_t columns_of(std::string_view text);

/// In lines of at most so many columns, broken at blanks, each with its newline; those after the first begin with
/// `indent`.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

/// Every line four blanks further in.
std::string indented(std::string_view lines);

/// `text` as one field of a CSV line: quoted where it has to be.
std::string csv_field(std::string_view text);

}  // namespace priorfit::internal

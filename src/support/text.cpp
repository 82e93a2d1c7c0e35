#include "support/text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace priorfit::internal {
namespace {

/// Letters changed, added, left out or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return std::tolower(static_cast<unsigned char>(a[i])) == std::tolower(static_cast<unsigned char>(b[j]));
  };
  std::vector<std::size_t> before, last, row(b.size() + 1);  // of the two letters before, and of this one
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (same(i - 1, j - 1) ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

/// Bytes of the UTF-8 letter that `text`, not empty, begins with; 0 where it begins with none. Only the shortest form
/// of a letter is one, and halves of UTF-16 pairs are none.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  unsigned least = 0x80U, largest = 0xBFU;  // of the second byte
  if (first == 0xE0U) least = 0xA0U;
  if (first == 0xEDU) largest = 0x9FU;
  if (first == 0xF0U) least = 0x90U;
  if (first == 0xF4U) largest = 0x8FU;
  if (first < 0xC2U || first > 0xF4U || byte(1) < least || byte(1) > largest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80U || byte(i) > 0xBFU) return 0;
  }
  return length;
}

}  // namespace

std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // A slip changes half of a word at most. Words of very unequal length differ in more, and one may be a whole file.
    const std::size_t longer = std::max(word.size(), candidate.size()),
                      shorter = std::min(word.size(), candidate.size());
    if (2 * (longer - shorter) > longer) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && 2 * distance <= longer) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string match = nearest_match(word, candidates);
  return match.empty() ? std::string() : "; did you mean '" + match + "'?";
}

std::string usual_name(std::string_view name,
                       const std::vector<std::pair<std::string_view, std::string_view>>& others) {
  std::string word(name);
  for (char& c : word) {
    c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const auto& [other, usual] : others) {
    if (word == other) return std::string(usual);
  }
  return word;
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    std::size_t length = letter_length(text);
    // U+0080 to U+009F are control characters too, CSI among them; the second of their bytes is their number.
    const bool second_set = length == 2 && first == 0xC2U && static_cast<unsigned char>(text[1]) < 0xA0U;
    if (length > 0 && !second_set && (first == '\n' || (first >= 0x20U && first != 0x7FU))) {
      out += text.substr(0, length);
    } else {
      length = std::max<std::size_t>(length, 1);
      const auto code = static_cast<unsigned char>(text[length - 1]);
      out += "\\x";
      out += digits[code >> 4U];
      out += digits[code & 15U];
    }
    text.remove_prefix(length);
  }
  return out;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) {
      out += line + "\n";
      line = indent;
      line += word;
    } else {
      if (begin > 0) line += ' ';
      line += word;
    }
    begin = end + 1;
  }
  return out + line + "\n";
}

std::string indented(std::string_view lines) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += "    ";
    text += lines.substr(begin, end - begin);
    text += '\n';
    begin = end + 1;
  }
  return text;
}

}  // namespace priorfit::internal

#include "experiment/toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_bare(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | (code >> 6));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::vector<TomlEntry> parse() {
    for (skip_to_next(); at_ < text_.size(); skip_to_next()) {
      if (peek() == '[') {
        parse_section();
      } else {
        parse_entry();
      }
      end_line();
    }
    return std::move(entries_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", name_, line_, problem));
  }

  /// The end of the text looks like the end of a line.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string shown() const {
    const char c = peek();
    if (c == '\n' || c == '\r') return "the end of the line";
    return c > 0x20 && c < 0x7f ? fmt::format("'{}'", c)
                                : fmt::format("the byte {:#04x}", static_cast<unsigned char>(c));
  }

  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }

  void skip_comment() {
    if (peek() != '#') return;
    for (; at_ < text_.size() && peek() != '\n' && !(peek() == '\r' && peek(1) == '\n'); ++at_) {
      if (is_control(peek()))
        fail(fmt::format("holds the control character {:#04x}", static_cast<unsigned char>(peek())));
    }
  }

  bool take_newline() {
    const std::size_t length = peek() == '\r' && peek(1) == '\n' ? 2 : 1;
    if (at_ >= text_.size() || peek(length - 1) != '\n') return false;
    at_ += std::min(length, text_.size() - at_);
    ++line_;
    return true;
  }

  /// Over blanks, comments and ends of lines.
  void skip_to_next() {
    do {
      skip_blanks();
      skip_comment();
    } while (take_newline());
  }

  void end_line() {
    skip_blanks();
    skip_comment();
    if (at_ < text_.size() && !take_newline()) fail(fmt::format("{} follows where the line should end", shown()));
  }

  /// Names with dots between them.
  std::string parse_key() {
    std::string key;
    do {
      if (!key.empty()) key += '.';
      skip_blanks();
      key += parse_name();
      skip_blanks();
    } while (take('.'));
    return key;
  }

  std::string parse_name() {
    if (peek() == '"' || peek() == '\'') return parse_text();
    const std::size_t first = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == first) fail(fmt::format("a name should stand where {} is", shown()));
    return std::string(text_.substr(first, at_ - first));
  }

  void parse_section() {
    ++at_;
    if (peek() == '[') fail("lists of sections ('[[') have no use here");
    section_ = parse_key();
    if (!take(']')) fail(fmt::format("']' should close the section's name where {} is", shown()));
    if (!sections_.insert(section_).second) fail(fmt::format("the section [{}] is there twice", section_));
    section_ += '.';
  }

  void parse_entry() {
    const Index line = line_;
    const std::string key = section_ + parse_key();
    if (!take('=')) fail(fmt::format("'=' should follow {} where {} is", key, shown()));
    skip_blanks();
    if (!keys_.insert(key).second) fail(fmt::format("{} is there twice", key));
    entries_.push_back({key, line, peek() == '[' ? parse_list() : parse_single()});
  }

  TomlValue parse_list() {
    std::vector<TomlValue> values;
    ++at_;
    for (;;) {
      skip_to_next();
      if (take(']')) return {std::move(values)};
      if (peek() == '[') fail("a list within a list has no use here");
      values.push_back(parse_single());
      skip_to_next();
      if (peek() != ']' && !take(',')) fail(fmt::format("',' or ']' should follow in the list where {} is", shown()));
    }
  }

  TomlValue parse_single() {
    if (peek() == '"' || peek() == '\'') return {parse_text()};
    const std::size_t first = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.empty()) fail(fmt::format("a value should stand where {} is; text must stand in quotes", shown()));
    if (word == "true" || word == "false") return {word == "true"};
    return parse_number(word);
  }

  TomlValue parse_number(std::string_view word) const {
    const bool negative = word.front() == '-';
    std::string_view digits = word.substr(negative || word.front() == '+' ? 1 : 0);
    const double sign = negative ? -1.0 : 1.0;
    if (digits == "inf") return {sign * std::numeric_limits<double>::infinity()};
    if (digits == "nan") return {std::numeric_limits<double>::quiet_NaN()};
    if (!is_number(digits)) {
      fail(fmt::format("'{}' is neither a number, true nor false; text must stand in quotes", word.substr(0, 40)));
    }
    std::string plain = negative ? "-" : "";
    std::copy_if(digits.begin(), digits.end(), std::back_inserter(plain), [](char c) { return c != '_'; });
    if (plain.find_first_of(".eE") == std::string::npos) return {converted<std::int64_t>(plain)};
    return {converted<double>(plain)};
  }

  template <typename T>
  T converted(const std::string& plain) const {
    T value{};
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error != std::errc{} || end != plain.data() + plain.size()) fail(fmt::format("{} is out of range", plain));
    return value;
  }

  /// digits [. digits] [e [sign] digits], without zeros in front, underscores between digits only.
  static bool is_number(std::string_view s) {
    const auto take_digits = [&s] {
      std::size_t n = 0;
      while (n < s.size() && (is_digit(s[n]) || (s[n] == '_' && n > 0 && is_digit(s[n - 1])))) ++n;
      if (n == 0 || s[n - 1] == '_') return false;
      s.remove_prefix(n);
      return true;
    };
    if (s.size() > 1 && s[0] == '0' && (is_digit(s[1]) || s[1] == '_')) return false;
    if (!take_digits()) return false;
    if (s.starts_with('.')) {
      s.remove_prefix(1);
      if (!take_digits()) return false;
    }
    if (s.starts_with('e') || s.starts_with('E')) {
      s.remove_prefix(1);
      if (s.starts_with('+') || s.starts_with('-')) s.remove_prefix(1);
      if (!take_digits()) return false;
    }
    return s.empty();
  }

  std::string parse_text() {
    const char quote = peek();
    if (peek(1) == quote && peek(2) == quote) fail("text over several lines has no use here");
    ++at_;
    std::string out;
    while (!take(quote)) {
      if (peek() == '\n' || is_control(peek())) fail(fmt::format("{} should close the text before {}", quote, shown()));
      if (peek() == '\\' && quote == '"') {
        ++at_;
        parse_escape(out);
      } else {
        out += text_[at_++];
      }
    }
    return out;
  }

  void parse_escape(std::string& out) {
    constexpr std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    const char c = peek();
    if (const std::size_t found = letters.find(c); found != std::string_view::npos) {
      ++at_;
      out += meanings[found];
      return;
    }
    const std::size_t length = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const std::string_view code = text_.substr(std::min(at_ + 1, text_.size()), length);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), value, 16);
    const bool whole = code.size() == length && end == code.data() + length && error == std::errc{};
    if (length == 0 || !whole || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
      fail(
          "a backslash must be followed by b, t, n, f, r, \", \\ or the code of a letter (\\u00e9); '...' takes it as "
          "it is");
    }
    at_ += 1 + length;
    append_utf8(value, out);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  Index line_ = 1;
  std::string section_;
  std::set<std::string> sections_, keys_;
  std::vector<TomlEntry> entries_;
};

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

}  // namespace priorfit::internal

#include "experiment/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  void scan() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_to_line_end();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
        line_start = false;
      } else {
        check_plain(c);
        check_use(c);
        if (c == '[' && line_start) check_section();
        line_start = c == '\n' || (line_start && is_blank(c));
        ++at_;
      }
    }
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  [[noreturn]] void fail(const std::string& problem) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw Error(ErrorKind::data, fmt::format("{}, line {}: {}", name_, line, problem));
  }

  void check_control(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && !is_blank(c) && c != '\n' && c != '\r') || byte == 0x7f) {
      fail(fmt::format("holds the control character {:#04x}", byte));
    }
  }

  void check_plain(char c) const {
    check_control(c);
    if (static_cast<unsigned char>(c) >= 0x80) fail("letters beyond ASCII must stand in quotes");
  }

  /// Outside of quotes a colon is found in times only, a dash after a digit in dates, a brace around tables.
  void check_use(char c) const {
    const bool dash_after_digit = c == '-' && at_ > 0 && std::isdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0;
    if (c == ':' || dash_after_digit) fail("no setting is a date or a time; text must stand in quotes");
    if (c == '{' || c == '}') fail(fmt::format("no setting is a table in braces ('{}')", c));
  }

  char peek(std::size_t place) const { return place < text_.size() ? text_[place] : '\n'; }

  void check_section() const {
    std::size_t next = at_ + 1;
    while (is_blank(peek(next))) ++next;
    if (peek(next) == '[') ++next;
    while (is_blank(peek(next))) ++next;
    const char c = peek(next);
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("_-\"']").find(c) == std::string_view::npos) {
      fail("the name of a section must follow '['");
    }
  }

  void skip_to_line_end() {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) check_control(text_[at_]);
  }

  /// A string that is never closed ends with its line, where the parser will say so.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool long_form = text_.substr(at_).starts_with(triple);
    at_ += long_form ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n' && !long_form) return;
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (!long_form && text_[at_] == quote) {
        ++at_;
        return;
      } else if (long_form && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        for (int more = 0; more < 2 && peek(at_) == quote; ++more) ++at_;  // up to two belong to the text
        return;
      }
      if (at_ < text_.size()) check_control(text_[at_]);
      ++at_;
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

void check_toml_text(const std::string& text, const std::string& name) { Scanner(text, name).scan(); }

}  // namespace priorfit

#include "data/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "data/quick_number.hpp"

namespace priorfit::internal {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t Count>
bool is_one_of(std::string_view field, const std::array<std::string_view, Count>& words) {
  for (const std::string_view word : words) {
    if (word.size() == field.size() &&
        std::equal(word.begin(), word.end(), field.begin(), [](char a, char b) { return a == lower(b); })) {
      return true;
    }
  }
  return false;
}

bool take_front(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view back) {
  if (!text.ends_with(back)) return false;
  text.remove_suffix(back.size());
  return true;
}

void take_blanks(std::string_view& text) {
  while (take_front(text, " ") || take_front(text, "\u00A0") || take_front(text, "\u202F")) continue;
  while (take_back(text, " ") || take_back(text, "\u00A0") || take_back(text, "\u202F")) continue;
}

bool take_currency(std::string_view& text) {
  for (const std::string_view sign : {"$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "JPY"}) {
    if (take_front(text, sign) || take_back(text, sign)) return take_blanks(text), true;
  }
  return false;
}

// "12,345,678" without its marks: one kind of mark, one to three digits before the first, three behind each.
std::optional<std::string> ungrouped(std::string_view text, char decimal) {
  const std::string_view own = decimal == '.' ? "," : ".";
  for (const std::string_view mark : {own, std::string_view("'"), std::string_view("’"), std::string_view(" "),
                                      std::string_view("\u00A0"), std::string_view("\u202F")}) {
    std::string digits;
    std::string_view rest = text;
    std::size_t run = 0;
    bool grouped = false, fits = true;
    while (!rest.empty() && fits) {
      if (is_digit(rest.front())) {
        digits += rest.front();
        rest.remove_prefix(1);
        ++run;
      } else if (take_front(rest, mark)) {
        fits = grouped ? run == 3 : run >= 1 && run <= 3 && digits != "0";
        grouped = true;
        run = 0;
      } else {
        break;
      }
    }
    if (!fits || !grouped || run != 3 || (!rest.empty() && rest.front() != decimal)) continue;
    return digits + std::string(rest);
  }
  return std::nullopt;
}

// A number without currency, percent sign, marks between groups of digits, or parentheses, which stand for a minus;
// none when it wears nothing of the kind.
std::optional<std::string> undressed(std::string_view field, char decimal) {
  constexpr std::size_t longest = 48;
  if (field.size() > longest || field.size() < 2) return std::nullopt;
  if (std::none_of(field.begin(), field.end(), is_digit)) return std::nullopt;  // a word, as most that come here are
  std::string_view text = field;
  bool negative = false, changed = false;
  if (text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
    negative = changed = true;
  }
  const auto take_sign = [&] {
    if (take_front(text, "−")) return negative = !negative, changed = true, true;
    if (take_front(text, "-")) return negative = !negative, true;
    return take_front(text, "+");
  };
  const bool sign = take_sign();
  if (take_currency(text)) changed = true;
  if (!sign) take_sign();
  if (take_back(text, "%")) changed = true;
  take_blanks(text);
  if (text.empty() || !(is_digit(text.front()) || text.front() == decimal)) return std::nullopt;
  std::string bare(text);
  if (const auto digits = ungrouped(text, decimal)) bare = *digits, changed = true;
  if (!changed) return std::nullopt;
  return negative ? "-" + bare : bare;
}

// Whether a number that no double holds is too small, from where its first digit stands and its exponent.
bool is_tiny(std::string_view field) {
  long place = 0, exponent = 0;
  bool seen = false, behind_point = false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const char c = field[i];
    if (c == 'e' || c == 'E') {
      const char* first = field.data() + i + 1;
      if (first < field.data() + field.size() && *first == '+') ++first;
      const bool negative = first < field.data() + field.size() && *first == '-';
      if (std::from_chars(first, field.data() + field.size(), exponent).ec != std::errc()) return negative;
      break;
    }
    if (c == '.') behind_point = true;
    if (!is_digit(c)) continue;
    seen = seen || c != '0';
    if (seen && !behind_point) ++place;
    if (!seen && behind_point) --place;
  }
  return place + exponent < 0;
}

}  // namespace

bool is_missing(std::string_view field) {
  static constexpr std::array<std::string_view, 18> words = {"na",   "n/a", "nan",     "null",    "none",   "nil",
                                                             "<na>", "#na", "-nan",    "nat",     "#n/a",   "n.a.",
                                                             "--",   "---", "#div/0!", "#value!", "#null!", "#ref!"};
  if (field.empty()) return true;
  if (field.size() == 1) return field[0] == '?' || field[0] == '-' || field[0] == '.';
  return is_one_of(field, words);
}

bool is_unknown(std::string_view field) {
  static constexpr std::array<std::string_view, 5> words = {"unknown", "missing", "unk", "unkn", "not available"};
  return is_one_of(field, words);
}

std::optional<bool> truth_value(std::string_view field) {
  static constexpr std::array<std::string_view, 6> no = {"false", "no", "f", "n", "off", "0"};
  static constexpr std::array<std::string_view, 6> yes = {"true", "yes", "t", "y", "on", "1"};
  if (is_one_of(field, no)) return false;
  if (is_one_of(field, yes)) return true;
  return std::nullopt;
}

bool has_leading_zero(std::string_view field) {
  if (field.size() < 2 || field[0] != '0') return false;
  for (const char c : field) {
    if (!is_digit(c)) return false;
  }
  return true;
}

Numeral read_plain(std::string_view field, char decimal, double& value) {
  value = 0.0;
  if (is_missing(field)) return Numeral::missing;
  std::string_view number = field;
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') number.remove_prefix(1);
  const char* const end = number.data() + number.size();
  if (quick_number(number.data(), end, decimal, value) == end) return Numeral::finite;
  std::string point;
  if (decimal != '.') {
    if (number.find('.') != std::string_view::npos) return value = 0.0, Numeral::text;
    point.assign(number);
    for (char& c : point) c = c == decimal ? '.' : c;
    number = point;
  }
  value = 0.0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (stop != number.data() + number.size() || number.empty()) return value = 0.0, Numeral::text;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = is_tiny(number);
    value = 0.0;
    return tiny ? Numeral::finite : Numeral::not_finite;
  }
  if (error != std::errc()) return value = 0.0, Numeral::text;
  return std::isfinite(value) ? Numeral::finite : Numeral::not_finite;
}

Numeral read_number(std::string_view field, char decimal, double& value, bool* dressed) {
  const Numeral plain = read_plain(field, decimal, value);
  if (plain != Numeral::text) return plain;
  const std::optional<std::string> bare = undressed(field, decimal);
  if (!bare || read_plain(*bare, decimal, value) != Numeral::finite) return value = 0.0, Numeral::text;
  if (dressed != nullptr) *dressed = true;
  return Numeral::finite;
}

}  // namespace priorfit::internal

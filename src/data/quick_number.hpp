// The numbers that tables are full of, straight from the text and right to the last bit: at most 19 digits and a power
// of ten that 64 bits hold. Whatever else a field may be is left to read_number().
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace priorfit::internal {

constexpr int largest_quick_power = 27;  // 5^27 < 2^63

/// digits × 10^power for |power| <= largest_quick_power and digits > 0, rounded once, to the nearest, ties to even.
double exact_decimal(std::uint64_t digits, int power);

/// Eight characters at once; the first is in the lowest byte.
class EightDigits {
 public:
  explicit EightDigits(const char* at) {
    std::memcpy(&bytes_, at, sizeof bytes_);
    if constexpr (std::endian::native == std::endian::big) bytes_ = __builtin_bswap64(bytes_);
    bytes_ ^= 0x3030303030303030;  // digits become 0 to 9
  }

  /// How many of them are digits before something else comes.
  int count() const {
    const std::uint64_t others = (((bytes_ & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | bytes_) & 0x8080808080808080;
    return others == 0 ? 8 : std::countr_zero(others) / 8;
  }

  /// The number that the first `count` digits write, count > 0: pairs, then fours, then all (Lemire 2022).
  std::uint64_t value(int count) const {
    std::uint64_t t = bytes_ << (8 * (8 - count));
    t = t * 10 + (t >> 8);
    return ((t & 0x000000FF000000FF) * 0x000F424000000064 + ((t >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
  }

 private:
  std::uint64_t bytes_ = 0;
};

/// Appends the digits at `at` to `number`, which overflows silently beyond 19; returns what is behind them.
inline const char* take_digits(const char* at, const char* end, std::uint64_t& number) {
  static constexpr std::array<std::uint64_t, 9> tens = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  while (end - at >= 8) {
    const EightDigits eight(at);
    const int count = eight.count();
    if (count == 0) return at;
    number = number * tens[static_cast<std::size_t>(count)] + eight.value(count);
    at += count;
    if (count < 8) return at;
  }
  for (; at < end && static_cast<unsigned char>(*at - '0') < 10; ++at) {
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return at;
}

/// Reads the number at `at` and returns what is behind it; null for what is no number of this kind, for leading zeros
/// (007 may be a code) and where the last bit needs more care.
inline const char* quick_number(const char* at, const char* end, char decimal, double& value) {
  static constexpr std::array<double, 23> tens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (at == end) return nullptr;
  const bool negative = *at == '-';
  at += negative;
  if (end - at > 1 && at[0] == '0' && static_cast<unsigned char>(at[1] - '0') < 10) return nullptr;
  std::uint64_t number = 0;
  const char* p = take_digits(at, end, number);
  std::ptrdiff_t digits = p - at;
  int power = 0;
  if (p < end && *p == decimal) {
    const char* const behind = ++p;
    p = take_digits(p, end, number);
    digits += p - behind;
    if (digits > 30) return nullptr;
    power = -static_cast<int>(p - behind);
    if (digits > 19) {
      // Zeros in front, as in 0.000123, are no digits of the number.
      for (const char* zero = at; digits > 19 && (*zero == '0' || *zero == decimal); ++zero) digits -= *zero == '0';
    }
  }
  if (digits == 0 || digits > 19) return nullptr;
  if (p < end && (*p | 0x20) == 'e') {
    ++p;
    const bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    std::uint64_t exponent = 0;
    const char* const first = p;
    p = take_digits(p, end, exponent);
    if (p == first || p - first > 4) return nullptr;
    power += minus ? -static_cast<int>(exponent) : static_cast<int>(exponent);
  }
  double magnitude = static_cast<double>(number);
  // Both exact, so that one operation rounds once (Clinger 1990).
  if (number <= std::uint64_t{1} << 53 && power >= -22 && power <= 22) {
    if (power < 0) magnitude /= tens[static_cast<std::size_t>(-power)];
    if (power > 0) magnitude *= tens[static_cast<std::size_t>(power)];
  } else if (number == 0) {
    magnitude = 0.0;
  } else if (power >= -largest_quick_power && power <= largest_quick_power) {
    magnitude = exact_decimal(number, power);
  } else {
    return nullptr;
  }
  value = negative ? -magnitude : magnitude;
  return p;
}

}  // namespace priorfit::internal

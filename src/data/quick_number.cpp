#include "data/quick_number.hpp"

namespace priorfit::internal {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t half = 0x400;  // of the last bit of 53, in the 11 bits behind it

// 5^k for k = 0 to 27, shifted left until the highest bit is set.
constexpr auto fives = [] {
  std::array<std::uint64_t, largest_quick_power + 1> values{};
  std::uint64_t five = 1;
  for (std::uint64_t& value : values) {
    value = five << std::countl_zero(five);
    five *= 5;
  }
  return values;
}();

// ⌊2^127 / five⌋
constexpr auto reciprocals = [] {
  std::array<std::uint64_t, largest_quick_power + 1> values{};
  for (std::size_t k = 1; k < values.size(); ++k) {
    values[k] = static_cast<std::uint64_t>((static_cast<Wide>(1) << 127) / fives[k]);
  }
  return values;
}();

// ⌊log₂ 5^k⌋, exact for these k.
constexpr int bits_of_five(int k) { return (k * 1217359) >> 19; }

}  // namespace

double exact_decimal(std::uint64_t digits, int power) {
  const int shift = std::countl_zero(digits);
  const std::uint64_t number = digits << shift;
  const int k = power < 0 ? -power : power;
  const std::uint64_t five = fives[static_cast<std::size_t>(k)];
  const int five_shift = 63 - bits_of_five(k);
  std::uint64_t top = 0;  // the first 64 bits of the result; its value is top × 2^exponent and a bit more
  bool more = false;
  int exponent = power - shift;
  if (power >= 0) {
    Wide product = static_cast<Wide>(number) * five;
    exponent += 64 - five_shift;
    if ((product >> 127) == 0) {
      product <<= 1;
      --exponent;
    }
    top = static_cast<std::uint64_t>(product >> 64);
    more = static_cast<std::uint64_t>(product) != 0;
  } else {
    const int scale = number >= five ? 63 : 64;  // so that the quotient has 64 bits
    // Too small by at most 3, which matters only just below a half; a division takes four times as long.
    const Wide estimate = static_cast<Wide>(number) * reciprocals[static_cast<std::size_t>(k)];
    top = static_cast<std::uint64_t>(estimate >> (127 - scale));
    if (const std::uint64_t rest = top & 0x7FF; rest >= half - 3 && rest <= half) {
      const Wide numerator = static_cast<Wide>(number) << scale;
      top = static_cast<std::uint64_t>(numerator / five);
      more = static_cast<Wide>(top) * five != numerator;
    }
    exponent += five_shift - scale;
  }
  std::uint64_t mantissa = top >> 11;
  const std::uint64_t rest = top & 0x7FF;
  if (rest > half || (rest == half && (more || (mantissa & 1) != 0))) ++mantissa;
  // Far from the ends of what a double holds: the product is exact.
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent + 11) << 52);
  return static_cast<double>(mantissa) * scale;
}

}  // namespace priorfit::internal

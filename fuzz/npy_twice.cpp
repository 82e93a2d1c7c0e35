// NumPy arrays, read by the library and by a second reader that knows only what NumPy itself writes and takes values
// one by one: what the second reads, the first must read, to the same numbers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "arrays/npy.hpp"
#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/error.hpp"

PRIORFIT_MUTATE(mutate_npy)

namespace {

struct PlainArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;  // in C order
};

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::uint64_t whole(const unsigned char* bytes, std::size_t width, bool big) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = value << 8 | bytes[big ? i : width - 1 - i];
  return value;
}

/// By the definition of IEEE 754: sign, exponent, fraction.
double real(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const int most = (1 << exponent_bits) - 1, bias = most / 2;
  const int exponent = static_cast<int>(bits >> fraction_bits) & most;
  const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1.0 : 1.0;
  if (exponent == most) return fraction != 0 ? std::nan("") : sign * INFINITY;
  const double scaled = std::ldexp(static_cast<double>(fraction), -fraction_bits);
  return sign * (exponent == 0 ? std::ldexp(scaled, 1 - bias) : std::ldexp(1.0 + scaled, exponent - bias));
}

std::optional<double> number(const unsigned char* bytes, std::string_view type, std::size_t width) {
  const std::uint64_t bits = whole(bytes, width, type[0] == '>');
  switch (type[1]) {
    case 'b': return bits != 0 ? 1.0 : 0.0;
    case 'u': return static_cast<double>(bits);
    case 'i': return static_cast<double>(static_cast<std::int64_t>(bits << (64 - 8 * width)) >> (64 - 8 * width));
    case 'f': return width == 8 ? real(bits, 11, 52) : width == 4 ? real(bits, 8, 23) : real(bits, 5, 10);
    default: return std::nullopt;
  }
}

/// Nothing for all but version 1.0 with the header as NumPy prints it, and as many bytes as values need.
std::optional<PlainArray> read_plainly(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(0, 8) != std::string_view("\x93NUMPY\1\0", 8)) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(bytes[8]) | static_cast<unsigned char>(bytes[9]) << 8;
  if (bytes.size() < 10 + length) return std::nullopt;
  std::string_view header = bytes.substr(10, length), body = bytes.substr(10 + length);
  if (!take(header, "{'descr': '") || header.size() < 3) return std::nullopt;
  const std::string_view type = header.substr(0, 3);
  header.remove_prefix(3);
  const std::string known = "b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 ";
  if (known.find(std::string(type.substr(1)) + " ") == std::string::npos) return std::nullopt;
  if (std::string_view("<>|").find(type[0]) == std::string_view::npos) return std::nullopt;
  const auto width = static_cast<std::size_t>(type[2] - '0');
  if (!take(header, "', 'fortran_order': ")) return std::nullopt;
  const bool fortran = take(header, "True");
  if ((!fortran && !take(header, "False")) || !take(header, ", 'shape': (")) return std::nullopt;
  PlainArray array;
  std::uint64_t count = 1;
  while (!header.empty() && header[0] >= '1' && header[0] <= '9') {
    std::uint64_t size = 0;
    for (; !header.empty() && header[0] >= '0' && header[0] <= '9' && size < 1'000'000; header.remove_prefix(1)) {
      size = size * 10 + static_cast<std::uint64_t>(header[0] - '0');
    }
    count *= size;
    array.shape.push_back(size);
    if (count > 10'000'000 || array.shape.size() > 32) return std::nullopt;
    if (!take(header, ", ") && !take(header, ",") && !header.starts_with(')')) return std::nullopt;
  }
  if (!take(header, "), }") || header.find_first_not_of(" \n") != std::string_view::npos) return std::nullopt;
  if (body.size() != count * width) return std::nullopt;
  array.values.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    // The i-th value of the file: its indices, first fastest in Fortran's order, last fastest in C's.
    std::uint64_t place = i;
    if (fortran) {
      std::uint64_t rest = i, stride = count;
      place = 0;
      for (const std::uint64_t size : array.shape) {
        stride /= size;
        place += rest % size * stride;
        rest /= size;
      }
    }
    array.values[place] = *number(reinterpret_cast<const unsigned char*>(body.data()) + i * width, type, width);
  }
  return array;
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  const std::optional<PlainArray> plain = read_plainly(bytes);
  internal::MemorySource source(bytes, "input");
  const internal::NpyArray array = [&] {
    try {
      return internal::read_npy(source);
    } catch (const Error& error) {
      if (plain) std::fprintf(stderr, "npy: refused what is plain: %s\n", error.what()), std::abort();
      throw;
    }
  }();
  if (!plain) return;
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  bool equal = array.values.size() == static_cast<Index>(plain->values.size());
  for (std::size_t i = 0; equal && i < plain->values.size(); ++i) {
    equal = same(array.values.data()[i], plain->values[i]) &&
            std::signbit(array.values.data()[i]) == std::signbit(plain->values[i]);
    if (std::isnan(plain->values[i])) equal = std::isnan(array.values.data()[i]);
  }
  if (!equal) std::fprintf(stderr, "npy: two readers differ\n"), std::abort();
}

#include "arrays/npy_convert.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace priorfit::internal {
namespace {

template <typename T, bool swapped>
void convert_as(const char* bytes, std::size_t count, double* out, Index stride) {
  for (std::size_t i = 0; i < count; ++i, out += stride) {
    char raw[sizeof(T)];
    std::memcpy(raw, bytes + i * sizeof(T), sizeof(T));
    if constexpr (swapped) std::reverse(raw, raw + sizeof(T));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    *out = static_cast<double>(value);
  }
}

template <typename T>
void convert_type(const char* bytes, std::size_t count, bool swapped, double* out, Index stride) {
  if (swapped) return convert_as<T, true>(bytes, count, out, stride);
  if (stride == 1) return convert_as<T, false>(bytes, count, out, 1);
  convert_as<T, false>(bytes, count, out, stride);
}

// IEEE binary16, and bfloat16: the upper half of a float.
double half_value(std::uint16_t bits, bool brain) {
  if (brain) {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    return static_cast<double>(std::bit_cast<float>(wide));
  }
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                  : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -value : value;
}

void convert_halves(const char* bytes, std::size_t count, const NpyType& type, double* out, Index stride) {
  for (std::size_t i = 0; i < count; ++i, out += stride) {
    const auto low = static_cast<unsigned char>(bytes[2 * i + (type.big_endian ? 1 : 0)]);
    const auto high = static_cast<unsigned char>(bytes[2 * i + (type.big_endian ? 0 : 1)]);
    *out = half_value(static_cast<std::uint16_t>(high << 8 | low), type.kind == NpyType::Kind::brain);
  }
}

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x110000) {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

std::string convert_text(const char* bytes, const NpyType& type) {
  const auto size = static_cast<std::size_t>(type.bytes);
  std::string text;
  if (type.kind == NpyType::Kind::bytes_text) {
    text.assign(bytes, size);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    std::uint32_t code = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      const std::size_t shift = 8 * (type.big_endian ? 3 - b : b);
      code |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + b])) << shift;
    }
    if (code == 0) break;
    append_utf8(text, code);
  }
  return text;
}

void convert(const char* bytes, std::size_t count, const NpyType& type, double* out, Index stride) {
  using Kind = NpyType::Kind;
  const bool swapped = type.big_endian;
  if (type.kind == Kind::brain || (type.kind == Kind::floating && type.bytes == 2)) {
    return convert_halves(bytes, count, type, out, stride);
  }
  if (type.kind == Kind::floating) {
    if (type.bytes == 4) return convert_type<float>(bytes, count, swapped, out, stride);
    return convert_type<double>(bytes, count, swapped, out, stride);
  }
  if (type.kind == Kind::boolean) {  // any byte but 0 is true
    for (std::size_t i = 0; i < count; ++i, out += stride) *out = bytes[i] != 0 ? 1.0 : 0.0;
    return;
  }
  const bool is_signed = type.kind == Kind::signed_integer;
  switch (type.bytes) {
    case 1:
      return is_signed ? convert_type<std::int8_t>(bytes, count, false, out, stride)
                       : convert_type<std::uint8_t>(bytes, count, false, out, stride);
    case 2:
      return is_signed ? convert_type<std::int16_t>(bytes, count, swapped, out, stride)
                       : convert_type<std::uint16_t>(bytes, count, swapped, out, stride);
    case 4:
      return is_signed ? convert_type<std::int32_t>(bytes, count, swapped, out, stride)
                       : convert_type<std::uint32_t>(bytes, count, swapped, out, stride);
    default:
      return is_signed ? convert_type<std::int64_t>(bytes, count, swapped, out, stride)
                       : convert_type<std::uint64_t>(bytes, count, swapped, out, stride);
  }
}

}  // namespace priorfit::internal

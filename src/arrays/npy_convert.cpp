#include "arrays/npy_convert.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace priorfit {
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

}  // namespace

void convert(const char* bytes, std::size_t count, const NpyType& type, double* out, Index stride) {
  using Kind = NpyType::Kind;
  const bool swapped = type.big_endian;
  if (type.kind == Kind::floating) {
    if (type.bytes == 4) return convert_type<float>(bytes, count, swapped, out, stride);
    return convert_type<double>(bytes, count, swapped, out, stride);
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

}  // namespace priorfit

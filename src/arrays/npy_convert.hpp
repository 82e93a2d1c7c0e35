// Numbers of any npy type to doubles.
#pragma once

#include <cstddef>

#include "arrays/npy.hpp"

namespace priorfit::internal {

/// out[i * stride] = the i-th of `count` values of `type` in `bytes`.
void convert(const char* bytes, std::size_t count, const NpyType& type, double* out, Index stride);

/// One value of a text type, as UTF-8.
std::string convert_text(const char* bytes, const NpyType& type);

}  // namespace priorfit::internal

// Numbers of any npy type to doubles.
#pragma once

#include <cstddef>

#include "arrays/npy.hpp"

namespace priorfit {

/// out[i * stride] = the i-th of `count` values of `type` in `bytes`.
void convert(const char* bytes, std::size_t count, const NpyType& type, double* out, Index stride);

}  // namespace priorfit

#include "data/distinct.hpp"

#include <bit>
#include <cmath>

namespace priorfit::internal {

Index distinct_values(const double* values, Index count, Index stride) {
  BitsSet seen(count);
  for (Index i = 0; i < count; ++i) {
    const double value = values[i * stride] + 0.0;  // -0 is 0
    if (!std::isnan(value)) seen.add(std::bit_cast<std::uint64_t>(value));
  }
  return static_cast<Index>(seen.size());
}

}  // namespace priorfit::internal

// Which training rows are trained on, and which are held out to validate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct HeldOut {
  std::vector<std::int64_t> training;
  std::vector<std::int64_t> validation;
};

/// A share `fraction` of `rows`, of every class alike, drawn by `seed`; at least one row of each class stays. Throws
/// Error(usage) when that leaves nothing to validate on, Error(data) naming a class that has one row only.
/// labels: those of all rows there are, or none.
HeldOut hold_out(std::span<const std::int64_t> rows, const std::vector<int>& labels, double fraction,
                 std::uint64_t seed);

}  // namespace priorfit::internal

#include <fmt/format.h>

#include "kernel/layers.hpp"

namespace priorfit::internal {

std::string VarianceFailure::text() const {
  return fmt::format("the variance {} at layer {}: {:.2g} is too {} for double precision",
                     variance < 1 ? "vanishes" : "explodes", layer, variance, variance < 1 ? "small" : "large");
}

}  // namespace priorfit::internal

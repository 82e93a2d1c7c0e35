// How rows, columns and widths are counted: Eigen's index type, for headers that need no matrices.
#pragma once

#include <cstddef>

namespace priorfit {

using Index = std::ptrdiff_t;

}  // namespace priorfit

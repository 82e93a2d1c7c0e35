// Matrices that cannot fit are refused before they are begun.
#pragma once

#include <string>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// Throws Error(resource) with the bytes when rows × columns doubles are more than the memory there is.
void check_matrix_fits(Index rows, Index columns, const std::string& what);

}  // namespace priorfit::internal

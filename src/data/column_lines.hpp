// The columns of a table as a person reads of them.
#pragma once

#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// `recipes` are those of the used columns, by fit_columns().
std::vector<ColumnLine> column_lines(const Dataset& dataset, const std::vector<ColumnRecipe>& recipes);

}  // namespace priorfit::internal

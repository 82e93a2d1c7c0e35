// From the columns of a table to features: fitted to training rows, applied to any.
#pragma once

#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// Rows that a recipe meets and was not fitted to.
struct Surprises {
  Index unseen = 0;   // levels
  Index missing = 0;  // numbers, or categories, in columns that missed none in training
};

/// Levels, fills and indicators for the used columns of a table, from the rows of dataset.train. Levels with few rows
/// go together, and so do those beyond the most frequent `most_levels`. Without `all_fills` only columns that miss
/// values get one; the others' serve rows that are still to come.
std::vector<ColumnRecipe> fit_columns(const Dataset& dataset, bool all_fills = true);

/// Features of rows × used columns, whose categories are places in Column::levels; in place where one column is one
/// feature. Throws Error(resource) when the features do not fit into memory.
Surprises expand(Matrix& inputs, const std::vector<const Column*>& used, const std::vector<ColumnRecipe>& recipes,
                 const std::string& name);

/// The columns with a place in the inputs, in that order.
std::vector<const Column*> used_columns(const std::vector<Column>& columns);

constexpr std::size_t most_levels = 30;

}  // namespace priorfit::internal

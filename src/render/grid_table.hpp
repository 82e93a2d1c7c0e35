#pragma once

#include <string>

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// The scores of every cell, one table per criterion and, for an output layer of its own, per variance of it.
std::string grid_table(const Recommendation& recommendation);
std::string grid_markdown(const Recommendation& recommendation);

}  // namespace priorfit::internal

// Rows in blocks of about equal size: what pilots leave out.
#pragma once

#include <cstdint>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

using Block = std::vector<Index>;

/// Every row in one block, by `seed`; classes spread evenly, and rows with the same inputs in the same block, so that
/// none of them predicts its twin.
std::vector<Block> deal_rows(const Samples& samples, Index blocks, std::uint64_t seed);

/// Groups of rows whose inputs are the same, the first row of each ascending.
std::vector<Block> identical_rows(const MatrixView& inputs);

/// All rows but those of the blocks from `first` to before `last`, ascending.
Block all_but(const std::vector<Block>& blocks, std::size_t first, std::size_t last);

}  // namespace priorfit::internal

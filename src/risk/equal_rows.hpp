// Rows of the inputs that are the same.
#pragma once

#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// A network cannot tell equal rows apart, so training on them is training on one row with their mean target and as
/// many times the weight; and leaving one of them out while its twin is learnt tells nothing about new samples.
struct EqualRows {
  std::vector<Index> group;  // of each row, numbered in order of first appearance
  std::vector<Index> first;  // row of each group
  Vector counts;             // rows of each group

  bool all_differ() const { return first.size() == group.size(); }
};

/// Equal in every value; NaN equals nothing.
EqualRows find_equal_rows(const MatrixView& inputs);

/// One row per group: the first, and the mean.
Matrix first_rows(const EqualRows& rows, const MatrixView& values);
Matrix mean_rows(const EqualRows& rows, const MatrixView& values);

}  // namespace priorfit::internal

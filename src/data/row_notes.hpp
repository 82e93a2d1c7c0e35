// What should be said of the rows before they are learnt from.
#pragma once

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// Notes rows that occur again, classes with a single row, and classes of very different size.
void note_rows(Dataset& dataset);

/// Rows of inputs and targets that are the same as an earlier one.
Index duplicated_rows(const Samples& samples);

}  // namespace priorfit::internal

#pragma once

#include <vector>

namespace priorfit::internal {

/// The middle value, or the mean of the middle two; NaN of none.
double median(std::vector<double> values);

}  // namespace priorfit::internal

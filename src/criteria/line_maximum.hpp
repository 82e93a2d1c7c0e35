// The largest value of a smooth function of one variable.
#pragma once

#include <functional>
#include <optional>

namespace priorfit::internal {

/// The function and, where `slope` is not null, its derivative; NaN where it does not exist.
using LineFunction = std::function<double(double at, double* slope)>;

struct LineOptions {
  int scan = 9;             // points tried first, ends included: there may be several maxima; >= 3
  double tolerance = 1e-7;  // of the place
};

/// Where the function is largest within [lower, upper], an end if that is best. Empty where it exists at no point
/// tried.
std::optional<double> line_maximum(const LineFunction& function, double lower, double upper,
                                   const LineOptions& options);

}  // namespace priorfit::internal

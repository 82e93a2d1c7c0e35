// φ and φ′ of many arguments at once: what tables are made from.
#pragma once

#include <span>

#include "priorfit/activation.hpp"

namespace priorfit::internal {

/// out[i] = φ(x[i]), to a few units in the last place of Activation's own.
void activation_values(const Activation& activation, std::span<const double> x, double* out);
/// out[i] = φ′(x[i])
void activation_slopes(const Activation& activation, std::span<const double> x, double* out);

}  // namespace priorfit::internal

// The activation seam of the finite network: the only place in mlp/ that knows which activations there are.
#pragma once

#include "priorfit/network.hpp"

namespace priorfit::internal {

/// A block of rows × width numbers inside an array whose rows are `stride` apart.
template <typename T>
struct Tile {
  T* values;
  Index rows, width, stride;
};

/// Whether the derivative cannot be read off φ(z), so that the forward pass has to keep φ′(z) as well.
bool keeps_slopes(const Activation& activation);

/// values ← φ(values + bias). `slopes` (same stride; null unless keeps_slopes) receives φ′.
void activate(const Activation& activation, const Tile<float>& tile, const float* bias, float* slopes);
void activate(const Activation& activation, const Tile<double>& tile, const double* bias, double* slopes);

/// delta ← delta · φ′, from the values and slopes that activate() left behind, at the same stride.
void multiply_by_slope(const Activation& activation, const Tile<float>& delta, const float* values,
                       const float* slopes);
void multiply_by_slope(const Activation& activation, const Tile<double>& delta, const double* values,
                       const double* slopes);

/// values ← values + bias: the last layer, which has no activation.
void add_bias(const Tile<float>& tile, const float* bias);
void add_bias(const Tile<double>& tile, const double* bias);

}  // namespace priorfit::internal

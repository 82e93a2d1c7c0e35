// How training holds a layer's weights: the output units in panels, each panel one contiguous block of
// inputs × width, row-major.
//
// A panel is the unit of work of a thread, in the forward product and in the update alike, and each number in it is
// computed in one fixed order; so results do not depend on the number of threads. Row j of a panel holds what input j
// feeds into its units: the rows that a sparse input selects are contiguous.
#pragma once

#include <algorithm>

#include "mlp/buffer.hpp"
#include "priorfit/mlp.hpp"

namespace priorfit::internal {

struct PanelShape {
  Index inputs = 0;
  Index outputs = 0;
  Index panel = 1;  // units in every panel but the last, which may have fewer

  Index panels() const { return (outputs + panel - 1) / panel; }
  Index first_unit(Index p) const { return p * panel; }
  Index width(Index p) const { return std::min(panel, outputs - p * panel); }
  Index offset(Index p) const { return p * panel * inputs; }  // of the panel's block
  Index size() const { return inputs * outputs; }
};

/// Values with their running first and second moments; those that the optimiser does not keep are empty.
template <typename T>
struct Parameters {
  Buffer<T> values, first_moments, second_moments;
};

template <typename T>
struct LayerState {
  PanelShape shape;
  Parameters<T> weights;  // in panels
  Parameters<T> bias;     // outputs
};

template <typename T>
void load_layer(const DenseLayer& layer, LayerState<T>& state) {
  const PanelShape& shape = state.shape;
  for (Index p = 0; p < shape.panels(); ++p) {
    const Index width = shape.width(p);
    T* block = state.weights.values.data() + shape.offset(p);
    for (Index unit = 0; unit < width; ++unit) {
      const float* row = layer.weights.data() + (shape.first_unit(p) + unit) * shape.inputs;
      for (Index j = 0; j < shape.inputs; ++j) block[j * width + unit] = static_cast<T>(row[j]);
    }
  }
  for (Index unit = 0; unit < shape.outputs; ++unit) state.bias.values[unit] = static_cast<T>(layer.bias[unit]);
}

template <typename T>
void store_layer(const LayerState<T>& state, DenseLayer& layer) {
  const PanelShape& shape = state.shape;
  for (Index p = 0; p < shape.panels(); ++p) {
    const Index width = shape.width(p);
    const T* block = state.weights.values.data() + shape.offset(p);
    for (Index unit = 0; unit < width; ++unit) {
      float* row = layer.weights.data() + (shape.first_unit(p) + unit) * shape.inputs;
      for (Index j = 0; j < shape.inputs; ++j) row[j] = static_cast<float>(block[j * width + unit]);
    }
  }
  for (Index unit = 0; unit < shape.outputs; ++unit) layer.bias[unit] = static_cast<float>(state.bias.values[unit]);
}

}  // namespace priorfit::internal

#include "mlp/engine.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "mlp/activation_pass.hpp"
#include "mlp/flush_denormals.hpp"
#include "mlp/gemm.hpp"

namespace priorfit::internal {
namespace {

// Panels and tiles depend on the shapes alone, never on the number of threads, and so do the results.
constexpr Index sparse_panel = 64;  // 784 inputs × 64 units × 4 bytes stay in a 512 kB second-level cache
constexpr Index dense_panel = 256;  // BLAS packs its other operand once a panel: narrower loses a quarter
constexpr Index tile_inputs = 256;  // weights a gradient tile spans on the input side
constexpr Index row_block = 128;

constexpr Index blocks(Index count, Index block) { return (count + block - 1) / block; }

// Layers of one panel share out rows, and inputs, instead. BLAS packs the weights, or the deltas, once for each part.
Index rows_at_once(const PanelShape& shape, Index rows) {
  if (shape.panels() > 1) return row_block;
  return rows < 256 ? 32 : 64;
}
Index inputs_at_once(const PanelShape& shape) {
  return shape.panels() > 1 || shape.inputs > 2 * tile_inputs ? tile_inputs : tile_inputs / 2;
}

template <typename T>
void resize(Parameters<T>& parameters, Index size, const EngineOptions& options) {
  const auto count = static_cast<std::size_t>(size);
  const auto kept = [&](bool keeps) { return options.training && keeps ? count : 0; };
  parameters.values.assign(count, T{0});
  parameters.first_moments.assign(kept(keeps_first_moments(options.optimizer)), T{0});
  parameters.second_moments.assign(kept(keeps_second_moments(options.optimizer)), T{0});
}

template <typename T>
ParameterView<T> view(Parameters<T>& parameters) {
  const auto array = [](Buffer<T>& values) { return values.empty() ? nullptr : values.data(); };
  return {array(parameters.values), array(parameters.first_moments), array(parameters.second_moments)};
}

}  // namespace

template <typename T>
Engine<T>::Engine(const Mlp& network, const EngineOptions& options)
    : activation_(network.spec.activation), options_(options) {
  const std::size_t count = network.layers.size();
  layers_.resize(count);
  values_.resize(count);
  slopes_.resize(count);
  deltas_.resize(count);
  for (std::size_t l = 0; l < count; ++l) {
    const DenseLayer& layer = network.layers[l];
    LayerState<T>& state = layers_[l];
    const Index panel = l == 0 && options.sparse_inputs ? sparse_panel : dense_panel;
    state.shape = {layer.inputs(), layer.outputs(), panel};
    resize(state.weights, state.shape.size(), options);
    resize(state.bias, layer.outputs(), options);
    load_layer(layer, state);
    const auto cells = static_cast<std::size_t>(options.max_rows * layer.outputs());
    values_[l].resize(cells);
    if (options.training) deltas_[l].resize(cells);
    if (options.training && l + 1 < count && keeps_slopes(activation_)) slopes_[l].resize(cells);
  }
  workspaces_.resize(static_cast<std::size_t>(options.threads));
  if (!options.training) return;
  for (Workspace& space : workspaces_) {
    space.gradient.resize(static_cast<std::size_t>(tile_inputs * dense_panel));
    space.delta.resize(static_cast<std::size_t>(options.max_rows * layers_.front().shape.panel));
  }
}

template <typename T>
typename Engine<T>::Workspace& Engine<T>::workspace() {
  return workspaces_[static_cast<std::size_t>(omp_get_thread_num())];
}

template <typename T>
const T* Engine<T>::inputs_of(Index l, const Batch<T>& batch) const {
  return l == 0 ? batch.dense.data() : values_[l - 1].data();
}

template <typename T>
void Engine<T>::finish_tile(Index l, Index first_row, Index rows, Index p) {
  const PanelShape& shape = layers_[l].shape;
  const Index offset = first_row * shape.outputs + shape.first_unit(p);
  const Tile<T> tile{values_[l].data() + offset, rows, shape.width(p), shape.outputs};
  const T* bias = layers_[l].bias.values.data() + shape.first_unit(p);
  if (l + 1 == static_cast<Index>(layers_.size())) {
    add_bias(tile, bias);
  } else {
    activate(activation_, tile, bias, slopes_[l].empty() ? nullptr : slopes_[l].data() + offset);
  }
}

template <typename T>
void Engine<T>::sparse_forward(Index l, const Batch<T>& batch) {
  const PanelShape& shape = layers_[l].shape;
  const std::span<const SparseVector<T>> all_rows(batch.by_row);
#pragma omp for schedule(dynamic)
  for (Index task = 0; task < shape.panels() * blocks(batch.rows, row_block); ++task) {
    const Index p = task % shape.panels();
    const Index first_row = task / shape.panels() * row_block;
    const Index rows = std::min(row_block, batch.rows - first_row);
    sparse_product(all_rows.subspan(static_cast<std::size_t>(first_row), static_cast<std::size_t>(rows)),
                   layers_[l].weights.values.data() + shape.offset(p), static_cast<std::size_t>(shape.width(p)),
                   values_[l].data() + first_row * shape.outputs + shape.first_unit(p),
                   static_cast<std::size_t>(shape.outputs));
    finish_tile(l, first_row, rows, p);
  }
}

template <typename T>
void Engine<T>::dense_forward(Index l, const T* inputs, Index rows) {
  const PanelShape& shape = layers_[l].shape;
  const Index block = rows_at_once(shape, rows);
#pragma omp for schedule(dynamic)
  for (Index task = 0; task < shape.panels() * blocks(rows, block); ++task) {
    const Index p = task % shape.panels();
    const Index first_row = task / shape.panels() * block;
    const Index count = std::min(block, rows - first_row);
    gemm(count, shape.width(p), shape.inputs, inputs + first_row * shape.inputs, as_is(shape.inputs),
         layers_[l].weights.values.data() + shape.offset(p), as_is(shape.width(p)), T{0},
         values_[l].data() + first_row * shape.outputs + shape.first_unit(p), shape.outputs);
    finish_tile(l, first_row, count, p);
  }
}

template <typename T>
void Engine<T>::forward_layer(Index l, const Batch<T>& batch) {
  if (l == 0 && batch.sparse) {
    sparse_forward(l, batch);
  } else {
    dense_forward(l, inputs_of(l, batch), batch.rows);
  }
}

// deltas[l-1] = (deltas[l] · weights[l]ᵀ) ∘ φ′
template <typename T>
void Engine<T>::propagate(Index l, Index rows) {
  constexpr Index slice = 128;
  const PanelShape& shape = layers_[l].shape;
#pragma omp for schedule(dynamic)
  for (Index task = 0; task < blocks(shape.inputs, slice); ++task) {
    const Index first = task * slice;
    const Index width = std::min(slice, shape.inputs - first);
    T* delta = deltas_[l - 1].data() + first;
    for (Index p = 0; p < shape.panels(); ++p) {
      gemm(rows, width, shape.width(p), deltas_[l].data() + shape.first_unit(p), as_is(shape.outputs),
           layers_[l].weights.values.data() + shape.offset(p) + first * shape.width(p), transposed(shape.width(p)),
           p == 0 ? T{0} : T{1}, delta, shape.inputs);
    }
    multiply_by_slope(activation_, Tile<T>{delta, rows, width, shape.inputs}, values_[l - 1].data() + first,
                      slopes_[l - 1].empty() ? nullptr : slopes_[l - 1].data() + first);
  }
}

template <typename T>
void Engine<T>::update_bias(Index l, Index rows, const OptimizerStep<T>& step) {
  const PanelShape& shape = layers_[l].shape;
#pragma omp for schedule(dynamic) nowait
  for (Index p = 0; p < shape.panels(); ++p) {
    T* gradient = workspace().gradient.data();
    const auto width = static_cast<std::size_t>(shape.width(p));
    column_sums(deltas_[l].data() + shape.first_unit(p), static_cast<std::size_t>(rows),
                static_cast<std::size_t>(shape.outputs), width, gradient);
    update(width, gradient, view(layers_[l].bias).at(shape.first_unit(p)), step);
  }
}

template <typename T>
void Engine<T>::sparse_update_layer(const Batch<T>& batch, std::span<const std::uint32_t> active_features,
                                    const OptimizerStep<T>& step) {
  const PanelShape& shape = layers_[0].shape;
#pragma omp for schedule(dynamic) nowait
  for (Index p = 0; p < shape.panels(); ++p) {
    // A copy without gaps: rows that are a power of two apart would share a few sets of the first-level cache.
    const Index width = shape.width(p);
    T* delta = workspace().delta.data();
    for (Index row = 0; row < batch.rows; ++row) {
      std::copy_n(deltas_[0].data() + row * shape.outputs + shape.first_unit(p), width, delta + row * width);
    }
    sparse_update(active_features, std::span<const SparseVector<T>>(batch.by_feature), delta,
                  static_cast<std::size_t>(width), view(layers_[0].weights).at(shape.offset(p)), step);
  }
}

template <typename T>
void Engine<T>::dense_update_layer(Index l, const T* inputs, Index rows, const OptimizerStep<T>& step) {
  const PanelShape& shape = layers_[l].shape;
  const Index tile = inputs_at_once(shape);
#pragma omp for schedule(dynamic) nowait
  for (Index task = 0; task < shape.panels() * blocks(shape.inputs, tile); ++task) {
    const Index p = task % shape.panels();
    const Index width = shape.width(p);
    const Index first = task / shape.panels() * tile;
    const Index height = std::min(tile, shape.inputs - first);
    T* gradient = workspace().gradient.data();  // the gradient lives a tile at a time, in the cache
    gemm(height, width, rows, inputs + first, transposed(shape.inputs), deltas_[l].data() + shape.first_unit(p),
         as_is(shape.outputs), T{0}, gradient, width);
    update(static_cast<std::size_t>(height * width), gradient,
           view(layers_[l].weights).at(shape.offset(p) + first * width), step);
  }
}

template <typename T>
BatchLoss Engine<T>::loss(const Batch<T>& batch) const {
  return batch_loss(options_.loss, batch, values_.back().data(), outputs(), nullptr);
}

template <typename T>
const T* Engine<T>::forward(const Batch<T>& batch) {
  last_rows_ = batch.rows;
#pragma omp parallel num_threads(options_.threads)
  {
    const FlushDenormals flush;
    for (Index l = 0; l < static_cast<Index>(layers_.size()); ++l) forward_layer(l, batch);
  }
  return values_.back().data();
}

template <typename T>
BatchLoss Engine<T>::step(const Batch<T>& batch, std::span<const std::uint32_t> active_features, double learning_rate) {
  const OptimizerStep<T> constants = optimizer_step<T>(options_.optimizer, learning_rate, ++steps_);
  const auto last = static_cast<Index>(layers_.size()) - 1;
  last_rows_ = batch.rows;
  BatchLoss result;
#pragma omp parallel num_threads(options_.threads)
  {
    const FlushDenormals flush;
    for (Index l = 0; l <= last; ++l) forward_layer(l, batch);
#pragma omp single
    result = batch_loss(options_.loss, batch, values_.back().data(), outputs(), deltas_.back().data());
    for (Index l = last; l >= 0; --l) {
      if (l > 0) propagate(l, batch.rows);  // before the weights it reads change
      update_bias(l, batch.rows, constants);
      if (l == 0 && batch.sparse) {
        sparse_update_layer(batch, active_features, constants);
      } else {
        dense_update_layer(l, inputs_of(l, batch), batch.rows, constants);
      }
    }
  }
  return result;
}

template <typename T>
Index Engine<T>::exploded_layer() const {
  for (std::size_t l = 0; l < values_.size(); ++l) {
    const auto values = std::span(values_[l]).first(static_cast<std::size_t>(last_rows_ * layers_[l].shape.outputs));
    if (!std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); })) {
      return static_cast<Index>(l) + 1;
    }
  }
  return 0;
}

template <typename T>
Index Engine<T>::vanished_layer() const {
  const auto is_zero = [&](std::size_t l) {
    const auto deltas = std::span(deltas_[l]).first(static_cast<std::size_t>(last_rows_ * layers_[l].shape.outputs));
    return std::all_of(deltas.begin(), deltas.end(), [](T delta) { return delta == T{0}; });
  };
  if (is_zero(deltas_.size() - 1)) return 0;  // nothing left to learn
  for (std::size_t l = deltas_.size() - 1; l-- > 0;) {
    if (is_zero(l)) return static_cast<Index>(l) + 1;
  }
  return 0;
}

template <typename T>
void Engine<T>::store(Mlp& network) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) store_layer(layers_[l], network.layers[l]);
}

template class Engine<float>;
template class Engine<double>;

}  // namespace priorfit::internal

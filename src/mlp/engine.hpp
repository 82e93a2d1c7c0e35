// The network at work: forward product, loss, back-propagation and the optimiser's step (M6), one batch at a time.
//
// A template on the number type so that the gradients, checked in double precision, are those of the very code that
// trains in float.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mlp/input_rows.hpp"
#include "mlp/loss.hpp"
#include "mlp/optimizer.hpp"
#include "mlp/panels.hpp"

namespace priorfit::internal {

struct EngineOptions {
  Index max_rows = 128;        // of a batch
  bool training = true;        // false: no moments, no deltas; step() may not be called
  bool sparse_inputs = false;  // expected of the batches; both kinds work either way
  int threads = 1;             // the caller holds a ThreadScope of as many: BLAS takes a team of one for none
  LossRule loss = {};
  OptimizerOptions optimizer = {};
};

template <typename T>
class Engine {
 public:
  Engine(const Mlp& network, const EngineOptions& options);

  /// One step on the batch; its loss is that before the step. `active_features`: those a sparse first layer updates,
  /// see InputRows.
  BatchLoss step(const Batch<T>& batch, std::span<const std::uint32_t> active_features, double learning_rate);

  /// Outputs for the batch, rows × outputs, valid until the next call.
  const T* forward(const Batch<T>& batch);

  /// Loss and correct answers of the outputs of the last forward().
  BatchLoss loss(const Batch<T>& batch) const;
  const LossRule& loss_rule() const { return options_.loss; }
  Index outputs() const { return layers_.back().shape.outputs; }

  /// The first layer, from 1, whose values in the last step or forward() are not finite; 0 when all are.
  Index exploded_layer() const;
  /// The last layer, from 1, whose gradient in the last step was 0 though the output's was not; 0 when there is none.
  Index vanished_layer() const;

  void store(Mlp& network) const;

  std::vector<LayerState<T>>& layers() { return layers_; }
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

 private:
  struct Workspace {
    Buffer<T> gradient;  // one tile of a dense layer
    Buffer<T> delta;     // max_rows × panel, one panel of a sparse layer
  };

  // These are called by every thread of the team and share their loops among it.
  void forward_layer(Index l, const Batch<T>& batch);
  void sparse_forward(Index l, const Batch<T>& batch);
  void dense_forward(Index l, const T* inputs, Index rows);
  void finish_tile(Index l, Index first_row, Index rows, Index p);
  void propagate(Index l, Index rows);
  void update_bias(Index l, Index rows, const OptimizerStep<T>& step);
  void sparse_update_layer(const Batch<T>& batch, std::span<const std::uint32_t> active_features,
                           const OptimizerStep<T>& step);
  void dense_update_layer(Index l, const T* inputs, Index rows, const OptimizerStep<T>& step);

  const T* inputs_of(Index l, const Batch<T>& batch) const;
  Workspace& workspace();

  Activation activation_;
  EngineOptions options_;
  std::vector<LayerState<T>> layers_;
  std::vector<Buffer<T>> values_;      // a layer's outputs: max_rows × outputs
  std::vector<Buffer<T>> slopes_;      // φ′, for activations that keep it
  std::vector<Buffer<T>> deltas_;      // ∂loss/∂(pre-activation): max_rows × outputs
  std::vector<Workspace> workspaces_;  // one per thread
  std::uint64_t steps_ = 0;
  Index last_rows_ = 0;  // of the last batch
};

}  // namespace priorfit::internal

// What training minimises and its derivative with respect to the network's outputs.
#pragma once

#include "mlp/input_rows.hpp"
#include "priorfit/mlp.hpp"

namespace priorfit::internal {

struct LossRule {
  Loss kind = Loss::squared;
  double label_smoothing = 0.0;  // of cross-entropy: the target is (1 - s) at the label and s/classes everywhere
};

struct BatchLoss {
  double sum = 0.0;   // of the samples' losses
  Index correct = 0;  // samples whose answer is their label; 0 without labels
};

/// The class that a network answers: its largest output, or 1 for a single output above 0.
template <typename T>
Index answer(const T* outputs, Index count) {
  if (count == 1) return outputs[0] > T{0} ? 1 : 0;
  return std::max_element(outputs, outputs + count) - outputs;
}

/// outputs: batch.rows × count. `delta` (same shape; may be null) receives ∂(mean loss of the batch)/∂output.
BatchLoss batch_loss(const LossRule& rule, const Batch<float>& batch, const float* outputs, Index count, float* delta);
BatchLoss batch_loss(const LossRule& rule, const Batch<double>& batch, const double* outputs, Index count,
                     double* delta);

}  // namespace priorfit::internal

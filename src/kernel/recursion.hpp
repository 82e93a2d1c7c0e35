// The recursion M1 over the layers, x·y -> K_L(x, y), for runs of Gram entries: written once. The covariance alone, the
// tangent kernel (M8) and the derivatives behind the evidence's gradient (M3) are what is carried through it.
#pragma once

#include <algorithm>

#include "kernel/array_pass.hpp"
#include "kernel/layers.hpp"
#include "kernel/table_pass.hpp"

namespace priorfit::internal {

/// Of each layer's dual, besides its value.
enum class Derivatives {
  none,
  by_covariance,
  by_everything,  // by the rows' and the column's variances too
};

/// The dual of each layer at the variances of rows and columns, in closed form or from tables. Both must outlive it.
class LayerDuals {
 public:
  /// Makes what steps need, with all threads: call it outside of parallel regions. Where derivatives are wanted, rows
  /// and columns are the same.
  LayerDuals(const Activation& activation, const LayerVariances& rows, const LayerVariances& columns,
             Derivatives derivatives);

  /// Completes `step` with the variances of layer l for rows from first_row on and `column`, and takes it.
  void take(StepArguments& step, Index l, Index first_row, Index column) const;

  bool from_tables() const { return tables_ != nullptr; }

 private:
  void take_from_tables(const StepArguments& step, Index l, Index first_row, Index column) const;

  double negative_slope_;
  LayerStep closed_form_;                           // null where there are tables
  std::shared_ptr<const ActivationTables> tables_;  // null where there is a closed form
  std::vector<TableSlopes> slopes_;                 // of each layer, where derivatives are wanted from tables
  std::vector<std::vector<double>> at_zero_;  // of each layer with an input of no variance: ∂E/∂a at a = c = 0
  const LayerVariances& rows_;
  const LayerVariances& columns_;
};

/// For one network, its priors and input dimension, and the variances of rows and columns.
class Recursion {
 public:
  Recursion(const NetworkSpec& network, const LayerPriors& priors, Index features, const LayerVariances& rows,
            const LayerVariances& columns, Derivatives derivatives)
      : duals_(network.activation, rows, columns, derivatives), priors_(priors), features_(features) {}

  Index depth() const { return static_cast<Index>(priors_.weights.size()) - 1; }
  Index features() const { return features_; }
  double weight(Index layer) const { return priors_.weights[static_cast<std::size_t>(layer)]; }
  double bias(Index layer) const { return priors_.biases[static_cast<std::size_t>(layer)]; }

  /// covariances[k] = K_L between row input first_row + k and column input `column`, from gram[k] = x·y, which may be
  /// the same array. What is carried says before each layer which derivatives go where, and follows them after it:
  ///     void want(Index layer, StepArguments& step)
  ///     void follow(Index layer, const StepArguments& step)
  template <class Carried>
  void run(const double* gram, double* covariances, Index length, Index first_row, Index column,
           Carried&& carried) const {
    affine_pass(gram, length, weight(0) / static_cast<double>(features_), bias(0), covariances);
    for (Index l = 0; l < depth(); ++l) {
      StepArguments step;
      step.length = length;
      step.covariances = step.next = covariances;
      step.weight = weight(l + 1);
      step.bias = bias(l + 1);
      carried.want(l, step);
      duals_.take(step, l, first_row, column);
      carried.follow(l, step);
    }
  }

  /// Calls work(first, count) for the blocks that a run of `length` entries is best taken in when each entry keeps so
  /// many values: closed forms while they stay in the nearest cache, tables in long blocks, because what they prepare
  /// for a column serves all of its entries.
  template <class Work>
  void for_blocks(Index length, Index values_per_entry, const Work& work) const {
    const Index block = duals_.from_tables() ? std::max<Index>(512, (Index{1} << 22) / values_per_entry)
                                             : std::clamp<Index>((Index{1} << 15) / values_per_entry, 16, 512);
    for (Index first = 0; first < length; first += block) work(first, std::min(block, length - first));
  }

 private:
  LayerDuals duals_;
  LayerPriors priors_;
  Index features_;
};

}  // namespace priorfit::internal

// ∂K_L/∂σ_w² and ∂K_L/∂σ_b² contracted with a symmetric matrix, entry by entry while in a register: neither derivative
// is ever stored (M3).
#pragma once

#include "kernel/layers.hpp"

namespace priorfit {

/// Whether a dual's derivative in a is best taken as that in log a: where φ has a kink, ∂E/∂a grows as 1/√a.
bool slopes_are_logarithmic(const Activation& activation);

/// Derivatives of LayerVariances: those of layers below the output as q' or, if logarithmic, q'/q (0 where q = 0, so
/// that an input of no variance adds nothing); those of K_L(x, x) as they are.
class LayerSensitivities {
 public:
  LayerSensitivities(const NetworkSpec& network, const LayerPrior& prior, Index features, const Vector& squared_norms);

  Index size() const { return weight_.cols(); }
  const double* weight_slopes() const { return weight_.data(); }  // (depth + 1) × inputs
  const double* bias_slopes() const { return bias_.data(); }
  double output_by_weight(Index i) const { return output_weight_[i]; }
  double output_by_bias(Index i) const { return output_bias_[i]; }
  /// Of layer l < depth for a tabulated activation.
  const TableSlopes& table_slopes(Index l) const { return table_slopes_[static_cast<std::size_t>(l)]; }

 private:
  Matrix weight_;
  Matrix bias_;
  Vector output_weight_;
  Vector output_bias_;
  std::vector<TableSlopes> table_slopes_;
};

class SensitivityPass {
 public:
  SensitivityPass(const NetworkSpec& network, const LayerPrior& prior, Index features);

  /// Makes what run() would otherwise make one thread at a time; call outside of parallel regions.
  void prepare(const LayerVariances& variances) const;

  /// Σ_k coefficients[k] ∂K_L between row input first_row + k and column input `column`, from gram[k] = x·y.
  GradientSums run(const double* gram, const double* coefficients, Index length, const LayerVariances& variances,
                   const LayerSensitivities& slopes, Index first_row, Index column) const;

 private:
  GradientSums run_table(const double* gram, const double* coefficients, Index length, const LayerVariances& variances,
                         const LayerSensitivities& slopes, Index first_row, Index column) const;

  NetworkSpec network_;
  LayerPriors priors_;
  double output_share_;
  double features_;
  std::shared_ptr<const ActivationTables> tables_;  // null where there is a closed form
};

}  // namespace priorfit

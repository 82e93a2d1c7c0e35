// Derivatives of a function of K_L in the variances of every layer, in reverse mode (M3): from the function's
// derivatives in the entries of K_L back through the layers, entry by entry and then, once per input, along the
// diagonal. No derivative of K_L is ever stored.
#pragma once

#include "kernel/covariance.hpp"

namespace priorfit::internal {

/// What entries add to: derivatives in each layer's variances and in the inputs' variances of each layer.
struct Adjoints {
  Adjoints(Index depth, Index inputs)
      : weights(static_cast<std::size_t>(depth + 1)), biases(weights), variances(Matrix::Zero(depth, inputs)) {}

  std::vector<double> weights;  // by σ_w² of each layer, depth + 1
  std::vector<double> biases;   // by σ_b² likewise
  Matrix variances;             // depth × inputs: as StepArguments says, by K_l(x, x) of layers below the output

  Adjoints& operator+=(const Adjoints& other);
};

/// For one network, priors and input dimension, and the variances of the inputs, which must outlive it. To be made
/// outside of parallel regions.
class AdjointPass {
 public:
  AdjointPass(const NetworkSpec& network, const LayerPriors& priors, Index features, const LayerVariances& variances)
      : network_(network),
        variances_(variances),
        recursion_(network, priors, features, variances, variances, Derivatives::by_everything) {}

  /// Adds what depends on K_L between inputs first_row + k and `column`, from gram[k] = x·y and the derivative
  /// coefficients[k] in that entry, which is 0 for an input with itself.
  void run(const double* gram, const double* coefficients, Index length, Index first_row, Index column,
           Adjoints& sums) const;

  /// Adds what depends on the variances: on K_L(x, x) itself, of derivatives `diagonal`, and on those of the layers
  /// below, of derivatives that run() has collected in sums.variances.
  void run_diagonal(const Vector& squared_norms, const Vector& diagonal, Adjoints& sums) const;

 private:
  NetworkSpec network_;
  const LayerVariances& variances_;
  Recursion recursion_;
};

}  // namespace priorfit::internal

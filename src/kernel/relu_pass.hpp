// SIMD inner loops of the ReLU covariance, compiled for every instruction set and chosen at run time.
#pragma once

#include "priorfit/kernel.hpp"

namespace priorfit {

struct ReluPassArguments {
  const double* gram;                // length entries x·y
  double* covariances;               // length entries; may equal gram
  Index length;
  const double* row_variances;       // K_0(x, x) of the first row input; layer l is row_stride further on
  Index row_stride;
  const double* column_variances;    // K_0(y, y) of the column input; layer l is column_stride further on
  Index column_stride;
  Index depth;
  double input_scale;                // σ_w² / d
  double weight_variance;
  double bias_variance;
};

void relu_pass(const ReluPassArguments& arguments);

/// What ∂K/∂σ_w² and ∂K/∂σ_b² need besides: the logarithmic derivatives q'/q of each layer's variances, laid out as the
/// variances are (0 where q = 0, so that an input of no variance adds nothing).
struct ReluGradientArguments {
  ReluPassArguments pass;  // its covariances are not written
  const double* coefficients;  // length entries, summed against ∂K
  double input_derivative;     // ∂K_0/∂σ_w² per unit of Gram entry: 1/d
  const double* row_weight_slopes;
  const double* row_bias_slopes;
  const double* column_weight_slopes;
  const double* column_bias_slopes;
};

struct GradientSums {
  double weight = 0.0;  // Σ coefficient · ∂K/∂σ_w²
  double bias = 0.0;    // Σ coefficient · ∂K/∂σ_b²
};

GradientSums relu_gradient_pass(const ReluGradientArguments& arguments);

/// The same formula for one entry.
Dual relu_dual(double a, double b, double c);

}  // namespace priorfit

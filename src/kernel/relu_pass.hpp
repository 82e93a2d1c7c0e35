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

/// The same formula for one entry.
Dual relu_dual(double a, double b, double c);

}  // namespace priorfit

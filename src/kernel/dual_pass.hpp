// SIMD inner loops of the covariance, compiled for every instruction set and chosen at run time: one DualPass a kind of
// activation, each in a file of its own that says nothing but its dual and the dual's derivatives.
#pragma once

#include "priorfit/kernel.hpp"

namespace priorfit {

struct PassArguments {
  const double* gram;   // length entries x·y
  double* covariances;  // length entries; may equal gram
  Index length;
  const double* row_variances;  // K_0(x, x) of the first row input; layer l is row_stride further on
  Index row_stride;
  const double* column_variances;  // K_0(y, y) of the column input; layer l is column_stride further on
  Index column_stride;
  Index depth;
  double features;
  const double* weight_variances;  // σ_w² of each layer, depth + 1
  const double* bias_variances;    // σ_b² likewise
  double negative_slope;           // of two-slope activations
};

/// What the tangent kernel (M8) needs besides.
struct TangentArguments {
  PassArguments pass;
  double* tangents;            // length entries
  const double* weight_rates;  // depth + 1: what a layer's inner product of inputs counts
  const double* bias_rates;    // likewise its bias
};

/// What ∂K/∂σ_w² and ∂K/∂σ_b² need besides: the derivatives of each layer's variances, laid out as the variances are
/// and stored as LayerSensitivities says.
struct GradientArguments {
  PassArguments pass;          // its covariances are not written
  const double* coefficients;  // length entries, summed against ∂K
  double output_share;         // 1 where the output layer has the same variances as the others, 0 where its own
  const double* row_weight_slopes;
  const double* row_bias_slopes;
  const double* column_weight_slopes;
  const double* column_bias_slopes;
};

struct GradientSums {
  double weight = 0.0;  // Σ coefficient · ∂K/∂σ_w²
  double bias = 0.0;    // Σ coefficient · ∂K/∂σ_b²
};

struct DualPass {
  void (*covariance)(const PassArguments&);
  void (*gradient)(const GradientArguments&, GradientSums&);
  void (*tangent)(const TangentArguments&);  // covariances as `covariance` makes them, and tangents
  void (*single)(double negative_slope, double a, double b, double c, Dual&);  // the same formula for one entry
};

DualPass relu_pass();
DualPass two_slope_pass();
DualPass erf_pass();
DualPass gelu_pass();
DualPass sin_pass();
DualPass cos_pass();

/// Of an activation with a dual in closed form; a DualPass of nulls for the others.
DualPass closed_form_pass(const Activation& activation);

}  // namespace priorfit

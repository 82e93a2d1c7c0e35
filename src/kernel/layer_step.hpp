// One layer of the recursion M1 for a run of entries, compiled for every instruction set and chosen at run time: one
// function per kind of activation, each in a file of its own that says nothing but its dual and the dual's derivatives.
#pragma once

#include "priorfit/kernel.hpp"

namespace priorfit::internal {

/// next = bias + weight E[φ(u) φ(v)] and, as far as wanted, the dual E and its derivatives.
struct StepArguments {
  Index length = 0;
  const double* covariances = nullptr;    // c of each row with the column
  const double* row_variances = nullptr;  // a of each row
  double column_variance = 0.0;           // b
  double weight = 1.0;
  double bias = 0.0;
  double negative_slope = 0.0;  // of two-slope activations
  double* next = nullptr;       // length entries; may equal covariances
  // Null where not wanted: the first two together, or all four. Those by row and column variance are derivatives in
  // log a and log b where slopes_are_logarithmic(), except for variances of 0.
  double* values = nullptr;
  double* by_covariance = nullptr;
  double* by_row = nullptr;
  double* by_column = nullptr;
};

using LayerStep = void (*)(const StepArguments&);

void relu_step(const StepArguments& step);
void two_slope_step(const StepArguments& step);
void erf_step(const StepArguments& step);
void gelu_step(const StepArguments& step);
void sin_step(const StepArguments& step);
void cos_step(const StepArguments& step);

/// Of an activation with a dual in closed form; null for the others.
LayerStep closed_form_step(const Activation& activation);

/// Whether a dual's derivative in a is best taken as that in log a: where φ has a kink, ∂E/∂a grows as 1/√a.
bool slopes_are_logarithmic(const Activation& activation);

}  // namespace priorfit::internal

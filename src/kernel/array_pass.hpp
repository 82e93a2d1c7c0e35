// What is carried through the layers, as loops over a run of entries: the same for every activation. Compiled for every
// instruction set.
#pragma once

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// out = scale · in + offset; the two may be the same array.
void affine_pass(const double* in, Index length, double scale, double offset, double* out);

/// M8: tangents = tangents · weight · by_covariance + rate · values + bias_rate.
struct TangentStep {
  Index length;
  const double* values;
  const double* by_covariance;
  double weight, rate, bias_rate;
  double* tangents;
};
void tangent_pass(const TangentStep& step);

/// A layer's step backwards: from the adjoints of what it gave to those of what it took.
struct AdjointStep {
  Index length;
  const double* values;
  const double* by_covariance;
  const double* by_row;
  const double* by_column;
  double weight;
  double* covariances;    // adjoints of `next`, which become those of the step's covariances
  double* row_variances;  // added to: adjoints of (the logarithms of) the rows' variances
};
struct AdjointSums {
  double weight;           // adjoint of the layer's weight variance
  double bias;             // of its bias variance
  double column_variance;  // of (the logarithm of) the column's variance
};
AdjointSums adjoint_pass(const AdjointStep& step);

/// Σ x and Σ x y.
struct Moments {
  double sum, product;
};
Moments moments_pass(const double* x, const double* y, Index length);

}  // namespace priorfit::internal

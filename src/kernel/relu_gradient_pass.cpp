#include "kernel/relu_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/relu_gradient_pass.cpp"
#include <hwy/foreach_target.h>

#include "kernel/relu_dual-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit {
namespace HWY_NAMESPACE {

struct Derivatives {
  V weight;
  V bias;
};

/// How a row's values are read: contiguous for a vector of entries, repeated for the rest.
struct VectorRows {
  D d;
  Index k;
  V operator()(const double* values) const { return hn::LoadU(d, values + k); }
};
struct SingleRow {
  D d;
  Index k;
  V operator()(const double* values) const { return hn::Set(d, values[k]); }
};

// M3: the recursion M1 and its derivatives together. With 2πE = r + (π − φ)c,
//   2π ∂E/∂a = r/(2a),   2π ∂E/∂b = r/(2b),   2π ∂E/∂c = π − φ,
// so with logarithmic derivatives of the variances no division is left: 2π dE = (r/2)(a'/a + b'/b) + (π − φ) c'.
template <class Rows>
HWY_INLINE Derivatives EntryDerivatives(const ReluGradientArguments& g, const Rows& rows) {
  const ReluPassArguments& p = g.pass;
  const D d = rows.d;
  const V bias = hn::Set(d, p.bias_variance), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  const V two_pi_inverse = hn::Set(d, 0.5 / std::numbers::pi);
  const V weight = hn::Set(d, p.weight_variance * (0.5 / std::numbers::pi));
  const V gram = rows(p.gram);
  V c = hn::MulAdd(gram, hn::Set(d, p.input_scale), bias);
  Derivatives slope = {hn::Mul(gram, hn::Set(d, g.input_derivative)), one};
  for (Index l = 0; l < p.depth; ++l) {
    const Index row = l * p.row_stride, column = l * p.column_stride;
    const auto sum_of_slopes = [&](const double* of_rows, const double* of_columns) {
      return hn::Add(rows(of_rows + row), hn::Set(d, of_columns[column]));
    };
    const DualVectors dual = TwoPiDual(d, rows(p.row_variances + row), hn::Set(d, p.column_variances[column]), c);
    const V half_root = hn::Mul(half, dual.root);
    const V by_weight = hn::MulAdd(half_root, sum_of_slopes(g.row_weight_slopes, g.column_weight_slopes),
                                   hn::Mul(dual.angle, slope.weight));
    const V by_bias = hn::MulAdd(half_root, sum_of_slopes(g.row_bias_slopes, g.column_bias_slopes),
                                 hn::Mul(dual.angle, slope.bias));
    slope.weight = hn::MulAdd(weight, by_weight, hn::Mul(two_pi_inverse, dual.value));
    slope.bias = hn::MulAdd(weight, by_bias, one);
    c = hn::MulAdd(dual.value, weight, bias);
  }
  return slope;
}

void ReluGradientPass(const ReluGradientArguments& g, GradientSums& out) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index length = g.pass.length;
  V weight = hn::Zero(d), bias = hn::Zero(d);
  Index k = 0;
  // Two vectors in flight, as in the covariance pass.
  for (; k + 2 * lanes <= length; k += 2 * lanes) {
    const Derivatives first = EntryDerivatives(g, VectorRows{d, k});
    const Derivatives second = EntryDerivatives(g, VectorRows{d, k + lanes});
    const V first_coefficient = hn::LoadU(d, g.coefficients + k);
    const V second_coefficient = hn::LoadU(d, g.coefficients + k + lanes);
    weight = hn::MulAdd(first_coefficient, first.weight, hn::MulAdd(second_coefficient, second.weight, weight));
    bias = hn::MulAdd(first_coefficient, first.bias, hn::MulAdd(second_coefficient, second.bias, bias));
  }
  out = {hn::GetLane(hn::SumOfLanes(d, weight)), hn::GetLane(hn::SumOfLanes(d, bias))};
  for (; k < length; ++k) {
    const Derivatives entry = EntryDerivatives(g, SingleRow{d, k});
    out.weight += g.coefficients[k] * hn::GetLane(entry.weight);
    out.bias += g.coefficients[k] * hn::GetLane(entry.bias);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit {

HWY_EXPORT(ReluGradientPass);

GradientSums relu_gradient_pass(const ReluGradientArguments& arguments) {
  GradientSums sums;
  HWY_DYNAMIC_DISPATCH(ReluGradientPass)(arguments, sums);
  return sums;
}

}  // namespace priorfit
#endif  // HWY_ONCE

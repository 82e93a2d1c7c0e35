// The recursion M1 and its derivatives over a run of Gram entries, for any dual in closed form. Included once for each
// instruction set by the file of each activation, which gives a type with
//
//     explicit T(double negative_slope)
//     double scale                                  E[φ(u)φ(v)] = scale · Value, folded into σ_w²
//     V Value(D, V a, V b, V c)
//     DualSlopes Slopes(D, V a, V b, V c)           derivatives of Value
#include "kernel/angle-inl.hpp"
#include "kernel/dual_pass.hpp"

#if defined(PRIORFIT_DUAL_PASS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIORFIT_DUAL_PASS_INL
#undef PRIORFIT_DUAL_PASS_INL
#else
#define PRIORFIT_DUAL_PASS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace priorfit {
namespace HWY_NAMESPACE {

struct DualSlopes {
  V value;
  V by_a;  // times the slopes of a as LayerSensitivities stores them: by log a where those are logarithmic
  V by_b;
  V by_c;
};

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

template <class Rows>
HWY_INLINE V FirstLayer(const PassArguments& p, const Rows& rows) {
  const D d = rows.d;
  return hn::MulAdd(rows(p.gram), hn::Set(d, p.weight_variances[0] / p.features), hn::Set(d, p.bias_variances[0]));
}

template <class T>
HWY_INLINE V NextLayer(const T& dual, const PassArguments& p, D d, Index l, V value) {
  return hn::MulAdd(value, hn::Set(d, p.weight_variances[l + 1] * dual.scale), hn::Set(d, p.bias_variances[l + 1]));
}

// All layers of the recursion M1 for a vector of entries.
template <class T, class Rows>
HWY_INLINE V EntryCovariance(const T& dual, const PassArguments& p, const Rows& rows) {
  const D d = rows.d;
  V c = FirstLayer(p, rows);
  for (Index l = 0; l < p.depth; ++l) {
    const V b = hn::Set(d, p.column_variances[l * p.column_stride]);
    c = NextLayer(dual, p, d, l, dual.Value(d, rows(p.row_variances + l * p.row_stride), b, c));
  }
  return c;
}

struct CovarianceAndTangent {
  V covariance;
  V tangent;
};

// M8 beside M1: Θ_l = Θ_{l−1} σ_w² E′ + rate E + rate of the bias.
template <class T, class Rows>
HWY_INLINE CovarianceAndTangent EntryTangent(const T& dual, const TangentArguments& t, const Rows& rows) {
  const PassArguments& p = t.pass;
  const D d = rows.d;
  V c = FirstLayer(p, rows);
  V tangent = hn::MulAdd(rows(p.gram), hn::Set(d, t.weight_rates[0]), hn::Set(d, t.bias_rates[0]));
  for (Index l = 0; l < p.depth; ++l) {
    const V b = hn::Set(d, p.column_variances[l * p.column_stride]);
    const DualSlopes e = dual.Slopes(d, rows(p.row_variances + l * p.row_stride), b, c);
    const V own = hn::MulAdd(e.value, hn::Set(d, t.weight_rates[l + 1] * dual.scale), hn::Set(d, t.bias_rates[l + 1]));
    tangent = hn::MulAdd(hn::Mul(tangent, e.by_c), hn::Set(d, p.weight_variances[l + 1] * dual.scale), own);
    c = NextLayer(dual, p, d, l, e.value);
  }
  return {c, tangent};
}

template <class T>
void CovarianceRun(const PassArguments& p) {
  const D d;
  const T dual(p.negative_slope);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index k = 0;
  // Two vectors in flight hide the latency of the square root and the division.
  for (; k + 2 * lanes <= p.length; k += 2 * lanes) {
    const V first = EntryCovariance(dual, p, VectorRows{d, k});
    const V second = EntryCovariance(dual, p, VectorRows{d, k + lanes});
    hn::StoreU(first, d, p.covariances + k);
    hn::StoreU(second, d, p.covariances + k + lanes);
  }
  // The rest goes through the same arithmetic, so that a value does not depend on its place.
  for (; k < p.length; ++k) p.covariances[k] = hn::GetLane(EntryCovariance(dual, p, SingleRow{d, k}));
}

template <class T>
void TangentRun(const TangentArguments& t) {
  const D d;
  const T dual(t.pass.negative_slope);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index k = 0;
  for (; k + 2 * lanes <= t.pass.length; k += 2 * lanes) {
    const CovarianceAndTangent first = EntryTangent(dual, t, VectorRows{d, k});
    const CovarianceAndTangent second = EntryTangent(dual, t, VectorRows{d, k + lanes});
    hn::StoreU(first.covariance, d, t.pass.covariances + k);
    hn::StoreU(second.covariance, d, t.pass.covariances + k + lanes);
    hn::StoreU(first.tangent, d, t.tangents + k);
    hn::StoreU(second.tangent, d, t.tangents + k + lanes);
  }
  for (; k < t.pass.length; ++k) {
    const CovarianceAndTangent entry = EntryTangent(dual, t, SingleRow{d, k});
    t.pass.covariances[k] = hn::GetLane(entry.covariance);
    t.tangents[k] = hn::GetLane(entry.tangent);
  }
}

// M3: the recursion M1 and its derivatives together, dE = E_a a' + E_b b' + E_c c'.
template <class T, class Rows>
HWY_INLINE Derivatives EntryDerivatives(const T& dual, const GradientArguments& g, const Rows& rows) {
  const PassArguments& p = g.pass;
  const D d = rows.d;
  V c = FirstLayer(p, rows);
  Derivatives slope = {hn::Mul(rows(p.gram), hn::Set(d, 1.0 / p.features)), hn::Set(d, 1.0)};
  for (Index l = 0; l < p.depth; ++l) {
    const double share = l + 1 < p.depth ? 1.0 : g.output_share;
    const V weight = hn::Set(d, p.weight_variances[l + 1] * dual.scale);
    const Index row = l * p.row_stride, column = l * p.column_stride;
    const DualSlopes e = dual.Slopes(d, rows(p.row_variances + row), hn::Set(d, p.column_variances[column]), c);
    const auto chain = [&](const double* of_rows, const double* of_columns, V of_covariance) {
      return hn::MulAdd(e.by_a, rows(of_rows + row),
                        hn::MulAdd(e.by_b, hn::Set(d, of_columns[column]), hn::Mul(e.by_c, of_covariance)));
    };
    slope.weight = hn::MulAdd(weight, chain(g.row_weight_slopes, g.column_weight_slopes, slope.weight),
                              hn::Mul(hn::Set(d, share * dual.scale), e.value));
    slope.bias = hn::MulAdd(weight, chain(g.row_bias_slopes, g.column_bias_slopes, slope.bias), hn::Set(d, share));
    c = NextLayer(dual, p, d, l, e.value);
  }
  return slope;
}

template <class T>
void GradientRun(const GradientArguments& g, GradientSums& out) {
  const D d;
  const T dual(g.pass.negative_slope);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index length = g.pass.length;
  V weight = hn::Zero(d), bias = hn::Zero(d);
  Index k = 0;
  // Two vectors in flight, as in the covariance pass.
  for (; k + 2 * lanes <= length; k += 2 * lanes) {
    const Derivatives first = EntryDerivatives(dual, g, VectorRows{d, k});
    const Derivatives second = EntryDerivatives(dual, g, VectorRows{d, k + lanes});
    const V first_coefficient = hn::LoadU(d, g.coefficients + k);
    const V second_coefficient = hn::LoadU(d, g.coefficients + k + lanes);
    weight = hn::MulAdd(first_coefficient, first.weight, hn::MulAdd(second_coefficient, second.weight, weight));
    bias = hn::MulAdd(first_coefficient, first.bias, hn::MulAdd(second_coefficient, second.bias, bias));
  }
  out = {hn::GetLane(hn::SumOfLanes(d, weight)), hn::GetLane(hn::SumOfLanes(d, bias))};
  for (; k < length; ++k) {
    const Derivatives entry = EntryDerivatives(dual, g, SingleRow{d, k});
    out.weight += g.coefficients[k] * hn::GetLane(entry.weight);
    out.bias += g.coefficients[k] * hn::GetLane(entry.bias);
  }
}

template <class T>
void SingleDual(double negative_slope, double a, double b, double c, Dual& out) {
  const D d;
  const T dual(negative_slope);
  const DualSlopes e = dual.Slopes(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, c));
  out = {hn::GetLane(e.value) * dual.scale, hn::GetLane(e.by_c) * dual.scale};
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit
HWY_AFTER_NAMESPACE();

#endif

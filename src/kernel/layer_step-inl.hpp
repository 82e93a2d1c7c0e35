// A layer's step over a run of entries, for any dual in closed form. Included once for each instruction set by the file
// of each activation, which gives a type with
//
//     explicit T(double negative_slope)
//     double scale                                  E[φ(u)φ(v)] = scale · Value
//     V Value(D, V a, V b, V c)
//     DualSlopes Slopes(D, V a, V b, V c)           derivatives of Value
#include <algorithm>

#include "kernel/angle-inl.hpp"
#include "kernel/layer_step.hpp"

#if defined(PRIORFIT_LAYER_STEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIORFIT_LAYER_STEP_INL
#undef PRIORFIT_LAYER_STEP_INL
#else
#define PRIORFIT_LAYER_STEP_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

struct DualSlopes {
  V value;
  V by_a;  // or by log a
  V by_b;
  V by_c;
};

enum class Wanted { next, values_and_slope, everything };

/// Entries [k, k + lanes).
template <Wanted wanted, class T>
HWY_INLINE void Step(const T& dual, const StepArguments& p, Index k) {
  const D d;
  const V a = hn::LoadU(d, p.row_variances + k), b = hn::Set(d, p.column_variance), c = hn::LoadU(d, p.covariances + k);
  const V weight = hn::Set(d, p.weight * dual.scale), bias = hn::Set(d, p.bias), scale = hn::Set(d, dual.scale);
  if constexpr (wanted == Wanted::next) {
    hn::StoreU(hn::MulAdd(dual.Value(d, a, b, c), weight, bias), d, p.next + k);
  } else {
    const DualSlopes e = dual.Slopes(d, a, b, c);
    hn::StoreU(hn::MulAdd(e.value, weight, bias), d, p.next + k);
    hn::StoreU(hn::Mul(scale, e.value), d, p.values + k);
    hn::StoreU(hn::Mul(scale, e.by_c), d, p.by_covariance + k);
    if constexpr (wanted == Wanted::everything) {
      hn::StoreU(hn::Mul(scale, e.by_a), d, p.by_row + k);
      hn::StoreU(hn::Mul(scale, e.by_b), d, p.by_column + k);
    }
  }
}

/// The last entries as a whole vector too, so that a value does not depend on its place.
template <Wanted wanted, class T>
void LastStep(const T& dual, StepArguments p, Index first) {
  constexpr Index most = hn::MaxLanes(D());
  const Index left = p.length - first;
  double variances[most], covariances[most], results[5][most];
  double* const out[] = {p.next, p.values, p.by_covariance, p.by_row, p.by_column};
  std::fill_n(variances, most, p.row_variances[first]);
  std::fill_n(covariances, most, p.covariances[first]);
  std::copy_n(p.row_variances + first, left, variances);
  std::copy_n(p.covariances + first, left, covariances);
  p.row_variances = variances;
  p.covariances = covariances;
  p.next = results[0];
  p.values = results[1];
  p.by_covariance = results[2];
  p.by_row = results[3];
  p.by_column = results[4];
  Step<wanted>(dual, p, 0);
  for (int i = 0; i < 5; ++i) {
    if (out[i]) std::copy_n(results[i], left, out[i] + first);
  }
}

template <Wanted wanted, class T>
HWY_INLINE void Steps(StepArguments p) {  // a copy, which the stores cannot change
  const T dual(p.negative_slope);
  const Index lanes = static_cast<Index>(hn::Lanes(D()));
  Index k = 0;
  for (; k + lanes <= p.length; k += lanes) Step<wanted>(dual, p, k);
  if (k < p.length) LastStep<wanted>(dual, p, k);
}

template <class T>
void StepOf(const StepArguments& p) {
  if (p.by_row) return Steps<Wanted::everything, T>(p);
  if (p.by_covariance) return Steps<Wanted::values_and_slope, T>(p);
  Steps<Wanted::next, T>(p);
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#endif

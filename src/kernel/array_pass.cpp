#include "kernel/array_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/array_pass.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// A vector of entries, and the last ones with the same arithmetic, so that a value does not depend on its place.
struct Whole {
  static V Load(D d, const double* from) { return hn::LoadU(d, from); }
  static void Store(V value, D d, double* to) { hn::StoreU(value, d, to); }
};
struct Single {
  static V Load(D d, const double* from) { return hn::IfThenElseZero(hn::FirstN(d, 1), hn::Set(d, *from)); }
  static void Store(V value, D, double* to) { *to = hn::GetLane(value); }
};

template <class Work>
HWY_INLINE void ForEntries(Index length, const Work& work) {
  const Index lanes = static_cast<Index>(hn::Lanes(D()));
  Index k = 0;
  for (; k + lanes <= length; k += lanes) work(Whole(), k);
  for (; k < length; ++k) work(Single(), k);
}

void Affine(const double* in, Index length, double scale, double offset, double* out) {
  const D d;
  const V factor = hn::Set(d, scale), added = hn::Set(d, offset);
  ForEntries(length,
             [&](auto lanes, Index k) { lanes.Store(hn::MulAdd(lanes.Load(d, in + k), factor, added), d, out + k); });
}

void Tangent(const TangentStep& step) {
  const D d;
  const TangentStep s = step;
  const V weight = hn::Set(d, s.weight), rate = hn::Set(d, s.rate), bias_rate = hn::Set(d, s.bias_rate);
  ForEntries(s.length, [&](auto lanes, Index k) {
    const V own = hn::MulAdd(lanes.Load(d, s.values + k), rate, bias_rate);
    const V before = hn::Mul(lanes.Load(d, s.tangents + k), lanes.Load(d, s.by_covariance + k));
    lanes.Store(hn::MulAdd(before, weight, own), d, s.tangents + k);
  });
}

AdjointSums Adjoint(const AdjointStep& step) {
  const D d;
  const AdjointStep s = step;
  const V weight = hn::Set(d, s.weight);
  V by_weight = hn::Zero(d), by_bias = hn::Zero(d), of_column = hn::Zero(d);
  ForEntries(s.length, [&](auto lanes, Index k) {
    const V adjoint = lanes.Load(d, s.covariances + k), scaled = hn::Mul(adjoint, weight);
    by_bias = hn::Add(by_bias, adjoint);
    by_weight = hn::MulAdd(adjoint, lanes.Load(d, s.values + k), by_weight);
    of_column = hn::MulAdd(scaled, lanes.Load(d, s.by_column + k), of_column);
    const V of_row = hn::MulAdd(scaled, lanes.Load(d, s.by_row + k), lanes.Load(d, s.row_variances + k));
    lanes.Store(of_row, d, s.row_variances + k);
    lanes.Store(hn::Mul(scaled, lanes.Load(d, s.by_covariance + k)), d, s.covariances + k);
  });
  return {hn::GetLane(hn::SumOfLanes(d, by_weight)), hn::GetLane(hn::SumOfLanes(d, by_bias)),
          hn::GetLane(hn::SumOfLanes(d, of_column))};
}

Moments MomentsOf(const double* x, const double* y, Index length) {
  const D d;
  V sum = hn::Zero(d), product = hn::Zero(d);
  ForEntries(length, [&](auto lanes, Index k) {
    const V value = lanes.Load(d, x + k);
    sum = hn::Add(sum, value);
    product = hn::MulAdd(value, lanes.Load(d, y + k), product);
  });
  return {hn::GetLane(hn::SumOfLanes(d, sum)), hn::GetLane(hn::SumOfLanes(d, product))};
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(Affine);
HWY_EXPORT(Tangent);
HWY_EXPORT(Adjoint);
HWY_EXPORT(MomentsOf);

void affine_pass(const double* in, Index length, double scale, double offset, double* out) {
  return HWY_DYNAMIC_DISPATCH(Affine)(in, length, scale, offset, out);
}

void tangent_pass(const TangentStep& step) { return HWY_DYNAMIC_DISPATCH(Tangent)(step); }

AdjointSums adjoint_pass(const AdjointStep& step) { return HWY_DYNAMIC_DISPATCH(Adjoint)(step); }

Moments moments_pass(const double* x, const double* y, Index length) {
  return HWY_DYNAMIC_DISPATCH(MomentsOf)(x, y, length);
}

}  // namespace priorfit::internal
#endif  // HWY_ONCE

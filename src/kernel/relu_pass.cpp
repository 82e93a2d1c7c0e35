#include "kernel/relu_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/relu_pass.cpp"
#include <hwy/foreach_target.h>

#include "kernel/relu_dual-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit {
namespace HWY_NAMESPACE {

// All layers of the recursion M1 for a vector of entries; row_variance(l) gives K_l(x, x) of its rows.
template <class RowVariance>
HWY_INLINE V EntryCovariance(D d, V gram, const RowVariance& row_variance, const ReluPassArguments& p) {
  const V bias = hn::Set(d, p.bias_variance);
  const V weight = hn::Set(d, p.weight_variance * (0.5 / std::numbers::pi));
  V c = hn::MulAdd(gram, hn::Set(d, p.input_scale), bias);
  for (Index l = 0; l < p.depth; ++l) {
    const V b = hn::Set(d, p.column_variances[l * p.column_stride]);
    c = hn::MulAdd(TwoPiDual(d, row_variance(l), b, c).value, weight, bias);
  }
  return c;
}

void ReluPass(const ReluPassArguments& p) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto rows_from = [&](Index k) {
    return [&p, d, k](Index l) { return hn::LoadU(d, p.row_variances + l * p.row_stride + k); };
  };
  Index k = 0;
  // Two vectors in flight hide the latency of the square root and the division.
  for (; k + 2 * lanes <= p.length; k += 2 * lanes) {
    const V first = EntryCovariance(d, hn::LoadU(d, p.gram + k), rows_from(k), p);
    const V second = EntryCovariance(d, hn::LoadU(d, p.gram + k + lanes), rows_from(k + lanes), p);
    hn::StoreU(first, d, p.covariances + k);
    hn::StoreU(second, d, p.covariances + k + lanes);
  }
  // The rest goes through the same arithmetic, so that a value does not depend on its place.
  for (; k < p.length; ++k) {
    const auto row = [&p, d, k](Index l) { return hn::Set(d, p.row_variances[l * p.row_stride + k]); };
    p.covariances[k] = hn::GetLane(EntryCovariance(d, hn::Set(d, p.gram[k]), row, p));
  }
}

void ReluDual(double a, double b, double c, Dual& out) {
  const D d;
  const DualVectors dual = TwoPiDual(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, c));
  constexpr double scale = 0.5 / std::numbers::pi;
  out = {hn::GetLane(dual.value) * scale, hn::GetLane(dual.angle) * scale};
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit {

HWY_EXPORT(ReluPass);
HWY_EXPORT(ReluDual);

void relu_pass(const ReluPassArguments& arguments) { HWY_DYNAMIC_DISPATCH(ReluPass)(arguments); }

Dual relu_dual(double a, double b, double c) {
  Dual out;
  HWY_DYNAMIC_DISPATCH(ReluDual)(a, b, c, out);
  return out;
}

}  // namespace priorfit
#endif  // HWY_ONCE

// Sine and cosine (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sine_step.cpp"
#include <hwy/foreach_target.h>

#include "kernel/layer_step-inl.hpp"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

// 2E = e^{|c| − (a+b)/2} (1 ∓ e^{−2|c|}), with the sign of c for sine: nothing overflows, and 1 − e^{−2|c|} by expm1
// keeps a small c. The exponent is exact: a + b with its rounding error, less |c| which is nearly half of it wherever
// that matters.
struct Exponentials {
  V scale;  // e^{|c| − (a+b)/2}
  V decay;  // e^{−2|c|} − 1
};

HWY_INLINE Exponentials ExponentialsOf(D d, V a, V b, V c) {
  const V half = hn::Set(d, 0.5);
  const V sum = hn::Add(a, b);
  const V part = hn::Sub(sum, a);
  const V error = hn::Add(hn::Sub(a, hn::Sub(sum, part)), hn::Sub(b, part));
  const V magnitude = hn::Abs(c);
  const V exponent = hn::NegMulAdd(half, error, hn::NegMulAdd(half, sum, magnitude));
  return {hn::Exp(d, hn::Min(exponent, hn::Zero(d))), hn::Expm1(d, hn::Mul(hn::Set(d, -2.0), magnitude))};
}

HWY_INLINE V TwiceSine(const Exponentials& e, V c) { return hn::CopySignToAbs(hn::Abs(hn::Mul(e.scale, e.decay)), c); }
HWY_INLINE V TwiceCosine(D d, const Exponentials& e) { return hn::Mul(e.scale, hn::Add(hn::Set(d, 2.0), e.decay)); }

struct SinFormula {
  explicit SinFormula(double) {}
  static constexpr double scale = 0.5;

  V Value(D d, V a, V b, V c) const { return TwiceSine(ExponentialsOf(d, a, b, c), c); }
  DualSlopes Slopes(D d, V a, V b, V c) const {
    const Exponentials e = ExponentialsOf(d, a, b, c);
    const V value = TwiceSine(e, c), by_variance = hn::Mul(hn::Set(d, -0.5), value);
    return {value, by_variance, by_variance, TwiceCosine(d, e)};
  }
};

struct CosFormula {
  explicit CosFormula(double) {}
  static constexpr double scale = 0.5;

  V Value(D d, V a, V b, V c) const { return TwiceCosine(d, ExponentialsOf(d, a, b, c)); }
  DualSlopes Slopes(D d, V a, V b, V c) const {
    const Exponentials e = ExponentialsOf(d, a, b, c);
    const V value = TwiceCosine(d, e), by_variance = hn::Mul(hn::Set(d, -0.5), value);
    return {value, by_variance, by_variance, TwiceSine(e, c)};
  }
};

void SinStep(const StepArguments& step) { StepOf<SinFormula>(step); }
void CosStep(const StepArguments& step) { StepOf<CosFormula>(step); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(SinStep);
HWY_EXPORT(CosStep);

void sin_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(SinStep)(step); }
void cos_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(CosStep)(step); }

}  // namespace priorfit::internal
#endif  // HWY_ONCE

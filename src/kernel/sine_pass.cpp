// Sine and cosine (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sine_pass.cpp"
#include <hwy/foreach_target.h>

#include "kernel/dual_pass-inl.hpp"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace priorfit {
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

void SinCovariance(const PassArguments& p) { CovarianceRun<SinFormula>(p); }
void SinGradient(const GradientArguments& g, GradientSums& out) { GradientRun<SinFormula>(g, out); }
void SinTangent(const TangentArguments& t) { TangentRun<SinFormula>(t); }
void SinSingle(double slope, double a, double b, double c, Dual& out) { SingleDual<SinFormula>(slope, a, b, c, out); }

void CosCovariance(const PassArguments& p) { CovarianceRun<CosFormula>(p); }
void CosGradient(const GradientArguments& g, GradientSums& out) { GradientRun<CosFormula>(g, out); }
void CosTangent(const TangentArguments& t) { TangentRun<CosFormula>(t); }
void CosSingle(double slope, double a, double b, double c, Dual& out) { SingleDual<CosFormula>(slope, a, b, c, out); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit {

HWY_EXPORT(SinCovariance);
HWY_EXPORT(SinGradient);
HWY_EXPORT(SinTangent);
HWY_EXPORT(SinSingle);
HWY_EXPORT(CosCovariance);
HWY_EXPORT(CosGradient);
HWY_EXPORT(CosTangent);
HWY_EXPORT(CosSingle);

DualPass sin_pass() {
  return {[](const PassArguments& p) {
            HWY_DYNAMIC_DISPATCH(SinCovariance)
            (p);
          },
          [](const GradientArguments& g, GradientSums& out) {
            HWY_DYNAMIC_DISPATCH(SinGradient)
            (g, out);
          },
          [](const TangentArguments& t) {
            HWY_DYNAMIC_DISPATCH(SinTangent)
            (t);
          },
          [](double slope, double a, double b, double c, Dual& out) {
            HWY_DYNAMIC_DISPATCH(SinSingle)(slope, a, b, c, out);
          }};
}

DualPass cos_pass() {
  return {[](const PassArguments& p) {
            HWY_DYNAMIC_DISPATCH(CosCovariance)
            (p);
          },
          [](const GradientArguments& g, GradientSums& out) {
            HWY_DYNAMIC_DISPATCH(CosGradient)
            (g, out);
          },
          [](const TangentArguments& t) {
            HWY_DYNAMIC_DISPATCH(CosTangent)
            (t);
          },
          [](double slope, double a, double b, double c, Dual& out) {
            HWY_DYNAMIC_DISPATCH(CosSingle)(slope, a, b, c, out);
          }};
}

}  // namespace priorfit
#endif  // HWY_ONCE

// The error function (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/erf_pass.cpp"
#include <hwy/foreach_target.h>

#include "kernel/dual_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit {
namespace HWY_NAMESPACE {

// E = (2/π) atan2(2c, Δ), Δ² = (1+2a)(1+2b) − 4c² = 1 + 2a + 2b + 4(ab − c²): a sum of terms of one sign.
struct ErfFormula {
  explicit ErfFormula(double) {}
  static constexpr double scale = 2 / std::numbers::pi;

  struct Parts {
    V value, root;
  };
  static Parts Evaluate(D d, V a, V b, V c) {
    const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), four = hn::Set(d, 4.0);
    const V root = hn::Sqrt(hn::MulAdd(four, Determinant(d, a, b, c), hn::MulAdd(two, hn::Add(a, b), one)));
    const V angle = AngleOf(d, hn::Mul(two, hn::Abs(c)), root).angle;
    return {hn::CopySignToAbs(angle, c), root};
  }
  V Value(D d, V a, V b, V c) const { return Evaluate(d, a, b, c).value; }

  DualSlopes Slopes(D d, V a, V b, V c) const {
    const Parts e = Evaluate(d, a, b, c);
    const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
    const V by_c = hn::Div(two, e.root);
    const V minus = hn::Neg(hn::Mul(c, by_c));
    return {e.value, hn::Div(minus, hn::MulAdd(two, a, one)), hn::Div(minus, hn::MulAdd(two, b, one)), by_c};
  }
};

void ErfCovariance(const PassArguments& p) { CovarianceRun<ErfFormula>(p); }
void ErfGradient(const GradientArguments& g, GradientSums& out) { GradientRun<ErfFormula>(g, out); }
void ErfTangent(const TangentArguments& t) { TangentRun<ErfFormula>(t); }
void ErfSingle(double slope, double a, double b, double c, Dual& out) { SingleDual<ErfFormula>(slope, a, b, c, out); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit {

HWY_EXPORT(ErfCovariance);
HWY_EXPORT(ErfGradient);
HWY_EXPORT(ErfTangent);
HWY_EXPORT(ErfSingle);

DualPass erf_pass() {
  return {[](const PassArguments& p) {
            HWY_DYNAMIC_DISPATCH(ErfCovariance)
            (p);
          },
          [](const GradientArguments& g, GradientSums& out) {
            HWY_DYNAMIC_DISPATCH(ErfGradient)
            (g, out);
          },
          [](const TangentArguments& t) {
            HWY_DYNAMIC_DISPATCH(ErfTangent)
            (t);
          },
          [](double slope, double a, double b, double c, Dual& out) {
            HWY_DYNAMIC_DISPATCH(ErfSingle)(slope, a, b, c, out);
          }};
}

}  // namespace priorfit
#endif  // HWY_ONCE

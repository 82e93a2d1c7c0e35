// The error function (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/erf_step.cpp"
#include <hwy/foreach_target.h>

#include "kernel/layer_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
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

void ErfStep(const StepArguments& step) { StepOf<ErfFormula>(step); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(ErfStep);

void erf_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(ErfStep)(step); }

}  // namespace priorfit::internal
#endif  // HWY_ONCE

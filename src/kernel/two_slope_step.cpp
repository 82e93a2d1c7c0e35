// ReLU and its relatives with another slope below 0 (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/two_slope_step.cpp"
#include <hwy/foreach_target.h>

#include "kernel/layer_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

struct ArcDual {
  V value;  // r + (π − φ) c
  V angle;  // π − φ
  V root;   // r = √(ab − c²)
};

// 2π E[φ(u)φ(v)] of ReLU and π − φ, without forming cos φ: with r = √(ab − c²) = √(ab) sin φ,
//   2π E = r + (π − φ) c,   tan φ = r/c,
// which keeps the relative accuracy next to ±parallel inputs that acos loses. When c < 0 and r < |c| the two terms
// cancel; there 2π E = |c| (t − atan t) with t = r/|c|, and the polynomial gives the difference itself.
HWY_INLINE ArcDual TwoPiDual(D d, V a, V b, V c) {
  const V r = hn::Sqrt(Determinant(d, a, b, c));
  const AcuteAngle acute = AngleOf(d, r, hn::Abs(c));
  const auto negative = hn::Lt(c, hn::Zero(d));
  const V angle = hn::IfThenElse(negative, acute.angle, hn::Sub(hn::Set(d, std::numbers::pi), acute.angle));
  const V direct = hn::MulAdd(angle, c, r);
  const auto cancels = hn::AndNot(acute.steep, negative);
  return {hn::IfThenElse(cancels, hn::Mul(r, acute.defect), direct), angle, r};
}

// The same at −|c|, where φ is never acute.
HWY_INLINE ArcDual OpposedTwoPiDual(D d, V a, V b, V magnitude) {
  const V r = hn::Sqrt(Determinant(d, a, b, magnitude));
  const AcuteAngle acute = AngleOf(d, r, magnitude);
  const V direct = hn::NegMulAdd(acute.angle, magnitude, r);
  return {hn::IfThenElse(acute.steep, direct, hn::Mul(r, acute.defect)), acute.angle, r};
}

struct ReluFormula {
  explicit ReluFormula(double) {}
  static constexpr double scale = 0.5 / std::numbers::pi;

  V Value(D d, V a, V b, V c) const { return TwoPiDual(d, a, b, c).value; }

  // 2π ∂E/∂a = r/(2a), so with logarithmic derivatives of the variances no division is left.
  DualSlopes Slopes(D d, V a, V b, V c) const {
    const ArcDual e = TwoPiDual(d, a, b, c);
    const V half_root = hn::Mul(hn::Set(d, 0.5), e.root);
    return {e.value, half_root, half_root, e.angle};
  }
};

// With R the ReLU dual, E = (1 − s)² R(c) + s c, and R(c) − R(−c) = c/2. Written with R(−|c|), which is small where the
// inputs are nearly parallel, the terms have one sign for s <= 0, abs is exactly even and identity exactly c.
struct TwoSlopeFormula {
  explicit TwoSlopeFormula(double s)
      : bend((1 - s) * (1 - s) * (0.5 / std::numbers::pi)), below(s), above(0.5 * (1 + s * s)) {}
  static constexpr double scale = 1.0;
  double bend;
  double below;  // multiplies c < 0
  double above;  // multiplies c >= 0

  V Linear(D d, V c) const {
    return hn::Mul(c, hn::IfThenElse(hn::Lt(c, hn::Zero(d)), hn::Set(d, below), hn::Set(d, above)));
  }
  V Value(D d, V a, V b, V c) const {
    return hn::MulAdd(hn::Set(d, bend), OpposedTwoPiDual(d, a, b, hn::Abs(c)).value, Linear(d, c));
  }
  DualSlopes Slopes(D d, V a, V b, V c) const {
    const ArcDual e = OpposedTwoPiDual(d, a, b, hn::Abs(c));
    const V k = hn::Set(d, bend);
    const V by_root = hn::Mul(hn::Mul(k, hn::Set(d, 0.5)), e.root);
    const auto negative = hn::Lt(c, hn::Zero(d));
    const V arc = hn::Mul(k, e.angle);
    const V by_c = hn::IfThenElse(negative, hn::Add(hn::Set(d, below), arc), hn::Sub(hn::Set(d, above), arc));
    return {hn::MulAdd(k, e.value, Linear(d, c)), by_root, by_root, by_c};
  }
};

void ReluStep(const StepArguments& step) { StepOf<ReluFormula>(step); }
void TwoSlopeStep(const StepArguments& step) { StepOf<TwoSlopeFormula>(step); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(ReluStep);
HWY_EXPORT(TwoSlopeStep);

void relu_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(ReluStep)(step); }
void two_slope_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(TwoSlopeStep)(step); }

}  // namespace priorfit::internal
#endif  // HWY_ONCE

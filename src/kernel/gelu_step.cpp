// GELU (M2).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/gelu_step.cpp"
#include <hwy/foreach_target.h>

#include "kernel/layer_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

// With P = (1+a)(1+b), Δ² = P − c² = 1 + a + b + (ab − c²) and φ = atan2(Δ, c),
//   2π E = (c² + abΔ²)/(PΔ) + (π − φ) c.
// When c < 0 and Δ < |c| the terms cancel as those of ReLU do; there t = Δ/|c| and
//   2π E = (c² − (1+a+b)Δ²)/(PΔ) + |c| (t − atan t).
// Variances go up to 2^500 and products of three overflow, so P divides before factors meet.
struct GeluFormula {
  explicit GeluFormula(double) {}
  static constexpr double scale = 0.5 / std::numbers::pi;

  struct Parts {
    V value, angle, determinant, square, root, slant, per_product;  // of which π − φ, ab − c², Δ², Δ, c/Δ, 1/P
  };
  static Parts Evaluate(D d, V a, V b, V c) {
    const V one = hn::Set(d, 1.0);
    const V determinant = Determinant(d, a, b, c);
    const V trace = hn::Add(one, hn::Add(a, b));
    const V square = hn::Add(trace, determinant);
    const V root = hn::Sqrt(square);
    const V outer = hn::Add(one, b);
    const V per_product = hn::Div(one, hn::Mul(hn::Add(one, a), outer));
    const V per_a = hn::Mul(per_product, outer);  // 1/(1+a)
    const V slant = hn::Div(c, root);
    const AcuteAngle acute = AngleOf(d, root, hn::Abs(c));
    const auto negative = hn::Lt(c, hn::Zero(d));
    const auto cancels = hn::AndNot(acute.steep, negative);
    const V angle = hn::IfThenElse(negative, acute.angle, hn::Sub(hn::Set(d, std::numbers::pi), acute.angle));
    const V factor = hn::IfThenElse(cancels, hn::Neg(trace), hn::Mul(a, b));
    const V rational = hn::Div(hn::MulAdd(slant, hn::Mul(c, per_a), hn::Mul(hn::Mul(factor, per_a), root)), outer);
    const V arc = hn::IfThenElse(cancels, hn::Mul(root, acute.defect), hn::Mul(angle, c));
    return {hn::Add(rational, arc), angle, determinant, square, root, slant, per_product};
  }
  V Value(D d, V a, V b, V c) const { return Evaluate(d, a, b, c).value; }

  // 2π ∂E/∂c = π − φ + c (3 + a + b + c²/Δ²)/(PΔ),
  // 2π ∂E/∂a = ((bΔ² − c²)/P + (ab − c²)/2 − c²/(2Δ²)) / ((1+a)Δ), and likewise in b.
  DualSlopes Slopes(D d, V a, V b, V c) const {
    const Parts e = Evaluate(d, a, b, c);
    const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
    const V cc = hn::Mul(c, c), ratio = hn::Mul(e.slant, e.slant);
    const V bracket = hn::Add(hn::Add(hn::Set(d, 3.0), hn::Add(a, b)), ratio);
    const V by_c = hn::MulAdd(hn::Mul(e.slant, e.per_product), bracket, e.angle);
    const V shared = hn::Mul(half, hn::Sub(e.determinant, ratio));
    const auto by = [&](V own, V other) {
      const V sum = hn::Add(hn::MulSub(hn::Mul(other, e.per_product), e.square, hn::Mul(cc, e.per_product)), shared);
      return hn::Div(sum, hn::Mul(hn::Add(one, own), e.root));
    };
    return {e.value, by(a, b), by(b, a), by_c};
  }
};

void GeluStep(const StepArguments& step) { StepOf<GeluFormula>(step); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(GeluStep);

void gelu_step(const StepArguments& step) { return HWY_DYNAMIC_DISPATCH(GeluStep)(step); }

}  // namespace priorfit::internal
#endif  // HWY_ONCE

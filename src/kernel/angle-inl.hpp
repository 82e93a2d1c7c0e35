// What the duals in closed form share: ab − c² and the angle between two inputs to full relative accuracy, on vectors.
// Included once for each instruction set.
#include <hwy/highway.h>

#include <numbers>

#if defined(PRIORFIT_ANGLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIORFIT_ANGLE_INL
#undef PRIORFIT_ANGLE_INL
#else
#define PRIORFIT_ANGLE_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// a·b − p for p = fl(a·b), exactly.
HWY_INLINE V ProductError(D d, V a, V b, V p) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, p);
#else
  // Dekker's product on Veltkamp's halves, for machines without a fused multiply-add.
  const V splitter = hn::Set(d, 134217729.0);
  const V ta = hn::Mul(splitter, a), tb = hn::Mul(splitter, b);
  const V a_high = hn::Sub(ta, hn::Sub(ta, a)), b_high = hn::Sub(tb, hn::Sub(tb, b));
  const V a_low = hn::Sub(a, a_high), b_low = hn::Sub(b, b_high);
  const V head = hn::Sub(hn::Mul(a_high, b_high), p);
  const V cross = hn::Add(hn::Add(head, hn::Mul(a_high, b_low)), hn::Mul(a_low, b_high));
  return hn::Add(cross, hn::Mul(a_low, b_low));
#endif
}

// (t − atan t)/t³ as a polynomial in u = t² on [0, 1]; relative error at most 3.2e-15 (atan_polynomial.py).
HWY_INLINE V AtanDefect(D d, V u) {
  const auto k = [d](double value) { return hn::Set(d, value); };
  const V u2 = hn::Mul(u, u);
  const V u4 = hn::Mul(u2, u2);
  const auto quad = [&](double c0, double c1, double c2, double c3) {
    return hn::MulAdd(u2, hn::MulAdd(u, k(c3), k(c2)), hn::MulAdd(u, k(c1), k(c0)));
  };
  const V p0 = quad(0x1.5555555555543p-2, -0x1.9999999993984p-3, 0x1.24924921fecc8p-3, -0x1.c71c70e5e5b17p-4);
  const V p1 = quad(0x1.745d02e314000p-4, -0x1.3b128ffe674edp-4, 0x1.11065f11a6427p-4, -0x1.e152f8d962dc6p-5);
  const V p2 = quad(0x1.ac6bb36be9fdap-5, -0x1.7bf5d6ead96b9p-5, 0x1.473498f84c7acp-5, -0x1.0691ba4839e6fp-5);
  const V p3 = quad(0x1.7479bd75d3b9bp-6, -0x1.b84778a79b4a1p-7, 0x1.965a8a0be82f1p-8, -0x1.0e0b7f42837c5p-9);
  const V p4 = hn::MulAdd(u, k(-0x1.69fc48be4b3c0p-15), k(0x1.c6d1d55c2ddcep-12));
  return hn::MulAdd(u4, hn::MulAdd(u4, hn::MulAdd(u4, hn::MulAdd(u4, p4, p3), p2), p1), p0);
}

// ab − c² to about one unit in the last place (Kahan's difference of products), 0 where rounding made it negative.
HWY_INLINE V Determinant(D d, V a, V b, V c) {
  const V cc = hn::Mul(c, c);
  const V ab = hn::Mul(a, b);
  const V difference = hn::Add(hn::Sub(ab, cc), hn::Sub(ProductError(d, a, b, ab), ProductError(d, c, c, cc)));
  return hn::Max(difference, hn::Zero(d));
}

struct AcuteAngle {
  V angle;            // atan2(opposite, adjacent)
  V defect;           // (t − atan t)/t for t = smaller / larger
  hn::Mask<D> steep;  // opposite > adjacent
};

// Both at least 0; the angle of (0, 0) is 0.
HWY_INLINE AcuteAngle AngleOf(D d, V opposite, V adjacent) {
  const V larger = hn::Max(hn::Max(opposite, adjacent), hn::Set(d, 0x1p-1022));  // 0/0 for zero inputs becomes 0
  const V t = hn::Div(hn::Min(opposite, adjacent), larger);
  const V u = hn::Mul(t, t);
  const V defect = hn::Mul(u, AtanDefect(d, u));
  const V arc = hn::NegMulAdd(t, defect, t);  // atan t
  const auto steep = hn::Lt(adjacent, opposite);
  const V half_pi = hn::Set(d, std::numbers::pi / 2);
  return {hn::IfThenElse(steep, hn::Sub(half_pi, arc), arc), defect, steep};
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#endif

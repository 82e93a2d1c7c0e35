// φ and φ′ of each activation on vectors, once for each instruction set.
//
// Those whose φ′ is a function of φ have Value(z) and Slope(φ); the others have Value(z, slope&). All hand a NaN on, so
// that a diverged network shows in its loss. With ε the spacing of the number type at 1, φ is within
// 3 ε max(|φ|, min(|z|, 1)) and φ′ within 3 ε max(|φ′|, 1); ActivationPass.* enforces both.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <numbers>

#include "mlp/erf-inl.hpp"

#if defined(PRIORFIT_ACTIVATION_FUNCTIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIORFIT_ACTIVATION_FUNCTIONS_INL
#undef PRIORFIT_ACTIVATION_FUNCTIONS_INL
#else
#define PRIORFIT_ACTIVATION_FUNCTIONS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A constant in the number type of d.
template <class D>
HWY_INLINE hn::Vec<D> Number(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// e^x for x <= 0. Highway's own is 0 for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D d, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

// The logistic function at z and at −z, neither by subtraction from 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void Logistic(D d, V z, V& at_z, V& at_minus_z) {
  const V e = ExpOfNegative(d, hn::Neg(hn::Abs(z)));
  const V larger = hn::Div(Number(d, 1), hn::Add(Number(d, 1), e));
  const V smaller = hn::Mul(e, larger);
  const auto positive = hn::Gt(z, hn::Zero(d));
  at_z = hn::IfThenElse(positive, larger, smaller);
  at_minus_z = hn::IfThenElse(positive, smaller, larger);
}

// Where |z| is beyond the range of Highway's sine and cosine, lane by lane what the C library says.
template <typename Function, class D, class V = hn::Vec<D>>
HWY_INLINE V RepairBeyondRange(D d, V z, V found, Function function) {
  const auto beyond = hn::Not(hn::Le(hn::Abs(z), Number(d, 39000)));
  if (HWY_LIKELY(hn::AllFalse(d, beyond))) return found;
  HWY_ALIGN hn::TFromD<D> arguments[hn::MaxLanes(d)];
  hn::Store(z, d, arguments);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) arguments[i] = function(arguments[i]);
  return hn::IfThenElse(beyond, hn::Load(d, arguments), found);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sine(D d, V z) {
  return RepairBeyondRange(d, z, hn::Sin(d, z), [](auto x) { return std::sin(x); });
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Cosine(D d, V z) {
  return RepairBeyondRange(d, z, hn::Cos(d, z), [](auto x) { return std::cos(x); });
}

// ---- Those whose slope is a function of their value ----

struct Tanh {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z) const {
    return hn::Tanh(d, z);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V value) const {
    return hn::Mul(hn::Sub(Number(d, 1), value), hn::Add(Number(d, 1), value));
  }
};

struct Sigmoid {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z) const {
    V at_z, at_minus_z;
    Logistic(d, z, at_z, at_minus_z);
    return at_z;
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V value) const {
    return hn::Mul(value, hn::Sub(Number(d, 1), value));
  }
};

struct Softplus {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z) const {
    return hn::Add(hn::Max(z, hn::Zero(d)), hn::Log1p(d, ExpOfNegative(d, hn::Neg(hn::Abs(z)))));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V value) const {
    return hn::Neg(hn::Expm1(d, hn::Neg(value)));
  }
};

// above · z above 0 and below (e^z − 1) below: elu and selu.
struct ScaledElu {
  double above, below;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z) const {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), hn::Mul(Number(d, above), z),
                          hn::Mul(Number(d, below), hn::Expm1(d, z)));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V value) const {
    return hn::IfThenElse(hn::Gt(value, hn::Zero(d)), Number(d, above), hn::Add(value, Number(d, below)));
  }
};

// z above 0 and below · z below. With a negative slope the value's sign does not tell the side, hence both kinds.
struct TwoSlope {
  double below;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z) const {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(d)), z, hn::Mul(Number(d, below), z));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V value) const {
    return hn::IfThenElse(hn::Gt(value, hn::Zero(d)), Number(d, 1), Number(d, below));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    slope = Slope(d, z);
    return Value(d, z);
  }
};

// ---- Those whose slope has to be kept ----

struct Erf {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    const V square = hn::Mul(z, z);
    const V e = ExpOfNegative(d, hn::Neg(square));
    slope = hn::Mul(Number(d, 2 * std::numbers::inv_sqrtpi), e);
    const V size = hn::Abs(z);
    const V far = hn::NegMulAdd(e, ScaledErfc(d, size), Number(d, 1));
    return hn::IfThenElse(hn::Lt(size, Number(d, 1)), hn::Mul(z, ErfOverX(d, square)), hn::CopySign(far, z));
  }
};

// z Φ(z), with Φ the normal distribution function
struct Gelu {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    const V e = ExpOfNegative(d, hn::Mul(Number(d, -0.5), hn::Mul(z, z)));
    const V size = hn::Mul(hn::Abs(z), Number(d, 1 / std::numbers::sqrt2));
    const V tail = hn::Mul(hn::Mul(Number(d, 0.5), e), ScaledErfc(d, size));  // Φ(−|z|)
    const V phi = hn::IfThenElse(hn::Gt(z, hn::Zero(d)), hn::Sub(Number(d, 1), tail), tail);
    const V density = hn::Mul(Number(d, std::numbers::inv_sqrtpi / std::numbers::sqrt2), e);
    slope = hn::MulAdd(z, density, phi);
    return hn::Mul(z, phi);
  }
};

struct Silu {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    V at_z, at_minus_z;
    Logistic(d, z, at_z, at_minus_z);
    slope = hn::Mul(at_z, hn::MulAdd(z, at_minus_z, Number(d, 1)));
    return hn::Mul(z, at_z);
  }
};

struct Sin {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    slope = Cosine(d, z);
    return Sine(d, z);
  }
};

struct Cos {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V z, V& slope) const {
    slope = hn::Neg(Sine(d, z));
    return Cosine(d, z);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#endif

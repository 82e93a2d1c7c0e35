#include "model/activation_values.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/activation_values.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// 1/(1 + e^{−x}) from t = e^{−|x|}, which never overflows.
HWY_INLINE V Logistic(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), t, one), hn::Add(one, t));
}

HWY_INLINE V TanhOf(D d, V x) {
  const V e = hn::Expm1(d, hn::Mul(hn::Set(d, -2.0), hn::Abs(x)));
  return hn::CopySignToAbs(hn::Abs(hn::Div(e, hn::Add(hn::Set(d, 2.0), e))), x);
}

HWY_INLINE V TanhSlope(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Exp(d, hn::Mul(hn::Set(d, -2.0), hn::Abs(x))), sum = hn::Add(one, t);
  return hn::Div(hn::Mul(hn::Set(d, 4.0), t), hn::Mul(sum, sum));
}

HWY_INLINE V LogisticSlope(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Exp(d, hn::Neg(hn::Abs(x))), sum = hn::Add(one, t);
  return hn::Div(t, hn::Mul(sum, sum));
}

HWY_INLINE V SiluOf(D d, V x) { return hn::Mul(x, Logistic(d, x)); }

HWY_INLINE V SiluSlope(D d, V x) {
  return hn::Mul(Logistic(d, x), hn::MulAdd(x, Logistic(d, hn::Neg(x)), hn::Set(d, 1.0)));
}

HWY_INLINE V EluOf(D d, V x) {
  const V zero = hn::Zero(d);
  return hn::IfThenElse(hn::Gt(x, zero), x, hn::Expm1(d, hn::Min(x, zero)));
}

HWY_INLINE V EluSlope(D d, V x) { return hn::Exp(d, hn::Min(x, hn::Zero(d))); }

HWY_INLINE V SoftplusOf(D d, V x) {
  return hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, hn::Exp(d, hn::Neg(hn::Abs(x)))));
}

// Whole vectors; the arrays are padded to that.
template <class Formula>
HWY_INLINE void ForEach(const double* x, std::size_t padded, double* out, const Formula& formula) {
  const D d;
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) hn::StoreU(formula(d, hn::LoadU(d, x + i)), d, out + i);
}

void Values(Activation::Kind kind, const double* x, std::size_t padded, double* out) {
  switch (kind) {
    case Activation::Kind::tanh: return ForEach(x, padded, out, [](D d, V v) { return TanhOf(d, v); });
    case Activation::Kind::sigmoid: return ForEach(x, padded, out, [](D d, V v) { return Logistic(d, v); });
    case Activation::Kind::silu: return ForEach(x, padded, out, [](D d, V v) { return SiluOf(d, v); });
    case Activation::Kind::elu: return ForEach(x, padded, out, [](D d, V v) { return EluOf(d, v); });
    default: return ForEach(x, padded, out, [](D d, V v) { return SoftplusOf(d, v); });
  }
}

void Slopes(Activation::Kind kind, const double* x, std::size_t padded, double* out) {
  switch (kind) {
    case Activation::Kind::tanh: return ForEach(x, padded, out, [](D d, V v) { return TanhSlope(d, v); });
    case Activation::Kind::sigmoid: return ForEach(x, padded, out, [](D d, V v) { return LogisticSlope(d, v); });
    case Activation::Kind::silu: return ForEach(x, padded, out, [](D d, V v) { return SiluSlope(d, v); });
    case Activation::Kind::elu: return ForEach(x, padded, out, [](D d, V v) { return EluSlope(d, v); });
    default: return ForEach(x, padded, out, [](D d, V v) { return Logistic(d, v); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {
namespace {

HWY_EXPORT(Values);
HWY_EXPORT(Slopes);

bool has_vectors(Activation::Kind kind) {
  return kind == Activation::Kind::tanh || kind == Activation::Kind::sigmoid || kind == Activation::Kind::silu ||
         kind == Activation::Kind::elu || kind == Activation::Kind::softplus;
}

/// The last vector goes through an array of its own.
template <class Pass>
void in_vectors(std::span<const double> x, double* out, const Pass& pass) {
  constexpr std::size_t widest = 64;  // lanes of any instruction set, and then some
  const std::size_t whole = x.size() / widest * widest;
  pass(x.data(), whole, out);
  double rest[widest] = {}, result[widest];
  std::copy(x.begin() + static_cast<std::ptrdiff_t>(whole), x.end(), rest);
  pass(rest, widest, result);
  std::copy_n(result, x.size() - whole, out + whole);
}

}  // namespace

void activation_values(const Activation& activation, std::span<const double> x, double* out) {
  if (has_vectors(activation.kind())) {
    in_vectors(x, out, [&](const double* from, std::size_t count, double* to) {
      HWY_DYNAMIC_DISPATCH(Values)(activation.kind(), from, count, to);
    });
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = activation(x[i]);
}

void activation_slopes(const Activation& activation, std::span<const double> x, double* out) {
  if (has_vectors(activation.kind())) {
    in_vectors(x, out, [&](const double* from, std::size_t count, double* to) {
      HWY_DYNAMIC_DISPATCH(Slopes)(activation.kind(), from, count, to);
    });
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = activation.derivative(x[i]);
}

}  // namespace priorfit::internal
#endif  // HWY_ONCE

#include "mlp/activation_pass.hpp"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mlp/activation_pass.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "mlp/activation_functions-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Kind = Activation::Kind;

// Calls element(d, r, k) for all of a rows × width tile: whole vectors of d, then single lanes.
template <typename T, class Element>
HWY_INLINE void ForEachVector(Index rows, Index width, const Element& element) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> lane;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < rows; ++r) {
    Index k = 0;
    for (; k + lanes <= width; k += lanes) element(d, r, k);
    for (; k < width; ++k) element(lane, r, k);
  }
}

// Calls element(values, read, written) for the vectors of the tile, of what is read beside it, at a stride of its own,
// and of what is written beside it, if anything is. The last few lanes of a row go as a whole vector too, by way of a
// padded copy: single lanes take as long each, and so a number's place cannot matter.
template <typename T, class Element>
HWY_INLINE void ForEachPaddedVector(const Tile<T>& tile, const T* read, Index read_stride, T* written,
                                    const Element& element) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < tile.rows; ++r) {
    T* const values = tile.values + r * tile.stride;
    const T* const beside = read + r * read_stride;
    T* const out = written == nullptr ? nullptr : written + r * tile.stride;
    Index k = 0;
    for (; k + lanes <= tile.width; k += lanes) element(values + k, beside + k, out == nullptr ? nullptr : out + k);
    if (k == tile.width) continue;
    T padded[3][hn::MaxLanes(d)] = {};
    const Index rest = tile.width - k;
    std::copy_n(values + k, rest, padded[0]);
    std::copy_n(beside + k, rest, padded[1]);
    element(padded[0], padded[1], out == nullptr ? nullptr : padded[2]);
    std::copy_n(padded[0], rest, values + k);
    if (out != nullptr) std::copy_n(padded[2], rest, out + k);
  }
}

template <typename T>
void AddBias(const Tile<T>& tile, const T* bias) {
  ForEachVector<T>(tile.rows, tile.width, [&](auto d, Index r, Index k) HWY_ATTR {
    T* at = tile.values + r * tile.stride + k;
    hn::StoreU(hn::Add(hn::LoadU(d, at), hn::LoadU(d, bias + k)), d, at);
  });
}

template <typename T>
void Relu(const Tile<T>& tile, const T* bias) {
  ForEachVector<T>(tile.rows, tile.width, [&](auto d, Index r, Index k) HWY_ATTR {
    T* at = tile.values + r * tile.stride + k;
    // In this order x86 hands a NaN on, so that a diverged network shows in its loss.
    hn::StoreU(hn::Max(hn::Zero(d), hn::Add(hn::LoadU(d, at), hn::LoadU(d, bias + k))), d, at);
  });
}

template <typename T>
void ReluSlope(const Tile<T>& delta, const T* values) {
  ForEachVector<T>(delta.rows, delta.width, [&](auto d, Index r, Index k) HWY_ATTR {
    const Index at = r * delta.stride + k;
    const auto active = hn::Gt(hn::LoadU(d, values + at), hn::Zero(d));
    hn::StoreU(hn::IfThenElseZero(active, hn::LoadU(d, delta.values + at)), d, delta.values + at);
  });
}

template <typename T, class Function>
void ApplyValue(const Function& function, const Tile<T>& tile, const T* bias) {
  ForEachPaddedVector<T>(tile, bias, 0, nullptr, [&](T* values, const T* added, T*) HWY_ATTR {
    const hn::ScalableTag<T> d;
    hn::StoreU(function.Value(d, hn::Add(hn::LoadU(d, values), hn::LoadU(d, added))), d, values);
  });
}

// `slopes` may be null: a network that is only measured needs none.
template <typename T, class Function>
void ApplyKeeping(const Function& function, const Tile<T>& tile, const T* bias, T* slopes) {
  ForEachPaddedVector<T>(tile, bias, 0, slopes, [&](T* values, const T* added, T* kept) HWY_ATTR {
    const hn::ScalableTag<T> d;
    auto slope = hn::Zero(d);
    const auto value = function.Value(d, hn::Add(hn::LoadU(d, values), hn::LoadU(d, added)), slope);
    hn::StoreU(value, d, values);
    if (kept != nullptr) hn::StoreU(slope, d, kept);
  });
}

template <typename T, class Function>
void MultiplyBySlopeOf(const Function& function, const Tile<T>& delta, const T* values) {
  ForEachPaddedVector<T>(delta, values, delta.stride, nullptr, [&](T* at, const T* value, T*) HWY_ATTR {
    const hn::ScalableTag<T> d;
    hn::StoreU(hn::Mul(hn::LoadU(d, at), function.Slope(d, hn::LoadU(d, value))), d, at);
  });
}

template <typename T>
void MultiplyByKept(const Tile<T>& delta, const T* slopes) {
  ForEachVector<T>(delta.rows, delta.width, [&](auto d, Index r, Index k) HWY_ATTR {
    const Index at = r * delta.stride + k;
    hn::StoreU(hn::Mul(hn::LoadU(d, delta.values + at), hn::LoadU(d, slopes + at)), d, delta.values + at);
  });
}

// Above 0 and at 0 from below: the two numbers that tell selu from elu.
HWY_INLINE ScaledElu EluOf(const Activation& activation) {
  return {activation.derivative(1.0), activation.derivative(0.0)};
}

template <typename T>
void Activate(const Activation& activation, const Tile<T>& tile, const T* bias, T* slopes) {
  switch (activation.kind()) {
    case Kind::relu: return Relu(tile, bias);
    case Kind::identity: return AddBias(tile, bias);
    case Kind::leaky_relu:
    case Kind::abs: return ApplyKeeping(TwoSlope{activation.negative_slope()}, tile, bias, slopes);
    case Kind::erf: return ApplyKeeping(Erf{}, tile, bias, slopes);
    case Kind::gelu: return ApplyKeeping(Gelu{}, tile, bias, slopes);
    case Kind::sin: return ApplyKeeping(Sin{}, tile, bias, slopes);
    case Kind::cos: return ApplyKeeping(Cos{}, tile, bias, slopes);
    case Kind::silu: return ApplyKeeping(Silu{}, tile, bias, slopes);
    case Kind::tanh: return ApplyValue(Tanh{}, tile, bias);
    case Kind::sigmoid: return ApplyValue(Sigmoid{}, tile, bias);
    case Kind::softplus: return ApplyValue(Softplus{}, tile, bias);
    case Kind::elu:
    case Kind::selu: return ApplyValue(EluOf(activation), tile, bias);
    case Kind::custom: return;  // not a matter of vectors
  }
}

template <typename T>
void MultiplyBySlope(const Activation& activation, const Tile<T>& delta, const T* values, const T* slopes) {
  if (slopes != nullptr) return MultiplyByKept(delta, slopes);
  switch (activation.kind()) {
    case Kind::relu: return ReluSlope(delta, values);
    case Kind::leaky_relu: return MultiplyBySlopeOf(TwoSlope{activation.negative_slope()}, delta, values);
    case Kind::tanh: return MultiplyBySlopeOf(Tanh{}, delta, values);
    case Kind::sigmoid: return MultiplyBySlopeOf(Sigmoid{}, delta, values);
    case Kind::softplus: return MultiplyBySlopeOf(Softplus{}, delta, values);
    case Kind::elu:
    case Kind::selu: return MultiplyBySlopeOf(EluOf(activation), delta, values);
    default: return;  // identity; all others keep their slopes
  }
}

// Highway's dispatch tables take plain functions, not templates.
#define PRIORFIT_PASSES(T, Suffix)                                                                                     \
  void AddBias##Suffix(const Tile<T>& tile, const T* bias) { AddBias(tile, bias); }                                    \
  void Activate##Suffix(const Activation& activation, const Tile<T>& tile, const T* bias, T* slopes) {                 \
    Activate(activation, tile, bias, slopes);                                                                          \
  }                                                                                                                    \
  void MultiplyBySlope##Suffix(const Activation& activation, const Tile<T>& delta, const T* values, const T* slopes) { \
    MultiplyBySlope(activation, delta, values, slopes);                                                                \
  }
PRIORFIT_PASSES(float, F)
PRIORFIT_PASSES(double, D)
#undef PRIORFIT_PASSES

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {
namespace {

template <typename T>
void activate_one_by_one(const Activation& activation, const Tile<T>& tile, const T* bias, T* slopes) {
  for (Index r = 0; r < tile.rows; ++r) {
    for (Index k = 0; k < tile.width; ++k) {
      T& at = tile.values[r * tile.stride + k];
      const auto z = static_cast<double>(at + bias[k]);
      at = static_cast<T>(activation(z));
      if (slopes != nullptr) slopes[r * tile.stride + k] = static_cast<T>(activation.derivative(z));
    }
  }
}

}  // namespace

bool keeps_slopes(const Activation& activation) {
  using Kind = Activation::Kind;
  switch (activation.kind()) {
    case Kind::relu:
    case Kind::identity:
    case Kind::tanh:
    case Kind::sigmoid:
    case Kind::softplus:
    case Kind::elu:
    case Kind::selu: return false;
    case Kind::leaky_relu: return activation.negative_slope() < 0;  // both sides give positive values
    default: return true;
  }
}

#define PRIORFIT_DISPATCH(T, Suffix)                                                                               \
  HWY_EXPORT(AddBias##Suffix);                                                                                     \
  HWY_EXPORT(Activate##Suffix);                                                                                    \
  HWY_EXPORT(MultiplyBySlope##Suffix);                                                                             \
  void add_bias(const Tile<T>& tile, const T* bias) { HWY_DYNAMIC_DISPATCH(AddBias##Suffix)(tile, bias); }         \
  void activate(const Activation& activation, const Tile<T>& tile, const T* bias, T* slopes) {                     \
    if (activation.kind() == Activation::Kind::custom) return activate_one_by_one(activation, tile, bias, slopes); \
    HWY_DYNAMIC_DISPATCH(Activate##Suffix)(activation, tile, bias, slopes);                                        \
  }                                                                                                                \
  void multiply_by_slope(const Activation& activation, const Tile<T>& delta, const T* values, const T* slopes) {   \
    HWY_DYNAMIC_DISPATCH(MultiplyBySlope##Suffix)(activation, delta, values, slopes);                              \
  }
PRIORFIT_DISPATCH(float, F)
PRIORFIT_DISPATCH(double, D)
#undef PRIORFIT_DISPATCH

}  // namespace priorfit::internal
#endif  // HWY_ONCE

#include "mlp/activation_pass.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mlp/activation_pass.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace priorfit::mlp {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

template <typename T>
void AddBias(const Tile<T>& tile, const T* bias) {
  ForEachVector<T>(tile.rows, tile.width, [&](auto d, Index r, Index k) HWY_ATTR {
    T* at = tile.values + r * tile.stride + k;
    hn::StoreU(hn::Add(hn::LoadU(d, at), hn::LoadU(d, bias + k)), d, at);
  });
}

void ReluF(const Tile<float>& tile, const float* bias) { Relu(tile, bias); }
void ReluD(const Tile<double>& tile, const double* bias) { Relu(tile, bias); }
void ReluSlopeF(const Tile<float>& delta, const float* values) { ReluSlope(delta, values); }
void ReluSlopeD(const Tile<double>& delta, const double* values) { ReluSlope(delta, values); }
void AddBiasF(const Tile<float>& tile, const float* bias) { AddBias(tile, bias); }
void AddBiasD(const Tile<double>& tile, const double* bias) { AddBias(tile, bias); }

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::mlp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::mlp {

HWY_EXPORT(ReluF);
HWY_EXPORT(ReluD);
HWY_EXPORT(ReluSlopeF);
HWY_EXPORT(ReluSlopeD);
HWY_EXPORT(AddBiasF);
HWY_EXPORT(AddBiasD);

bool keeps_slopes(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return false;
  }
  return true;
}

void activate(const Activation& activation, const Tile<float>& tile, const float* bias, float*) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return HWY_DYNAMIC_DISPATCH(ReluF)(tile, bias);
  }
}

void activate(const Activation& activation, const Tile<double>& tile, const double* bias, double*) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return HWY_DYNAMIC_DISPATCH(ReluD)(tile, bias);
  }
}

void multiply_by_slope(const Activation& activation, const Tile<float>& delta, const float* values, const float*) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return HWY_DYNAMIC_DISPATCH(ReluSlopeF)(delta, values);
  }
}

void multiply_by_slope(const Activation& activation, const Tile<double>& delta, const double* values,
                       const double*) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return HWY_DYNAMIC_DISPATCH(ReluSlopeD)(delta, values);
  }
}

void add_bias(const Tile<float>& tile, const float* bias) { HWY_DYNAMIC_DISPATCH(AddBiasF)(tile, bias); }
void add_bias(const Tile<double>& tile, const double* bias) { HWY_DYNAMIC_DISPATCH(AddBiasD)(tile, bias); }

}  // namespace priorfit::mlp
#endif  // HWY_ONCE

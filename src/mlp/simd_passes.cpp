#include "mlp/simd_passes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mlp/simd_passes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls block(d, vectors, k) for pieces that together cover [0, width): `vectors` vectors of d from lane k on.
// Eight accumulators hide the latency of the fused multiply-add; the last few lanes go one by one.
template <typename T, class Block>
HWY_INLINE void ForEachBlock(std::size_t width, const Block& block) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> lane;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + 8 * lanes <= width; k += 8 * lanes) block(d, std::integral_constant<int, 8>(), k);
  for (; k + 4 * lanes <= width; k += 4 * lanes) block(d, std::integral_constant<int, 4>(), k);
  for (; k + lanes <= width; k += lanes) block(d, std::integral_constant<int, 1>(), k);
  for (; k < width; ++k) block(lane, std::integral_constant<int, 1>(), k);
}

// sums[i] = Σ_e x_e · rows[index_e · stride + i · lanes, …]
template <int vectors_in_flight, class D, typename T = hn::TFromD<D>>
HWY_INLINE void Combine(D d, const SparseVector<T>& x, const T* HWY_RESTRICT rows, std::size_t stride,
                        hn::Vec<D> (&sums)[vectors_in_flight]) {
  const std::size_t lanes = hn::Lanes(d);
  for (int i = 0; i < vectors_in_flight; ++i) sums[i] = hn::Zero(d);
  for (std::size_t e = 0; e < x.count; ++e) {
    const auto value = hn::Set(d, x.values[e]);
    const T* HWY_RESTRICT row = rows + x.indices[e] * stride;
    for (int i = 0; i < vectors_in_flight; ++i) sums[i] = hn::MulAdd(value, hn::LoadU(d, row + i * lanes), sums[i]);
  }
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void StepVector(D d, hn::Vec<D> gradient, const ParameterView<T>& p, std::size_t k,
                           const AdamStep<T>& step) {
  const auto before = hn::LoadU(d, p.values + k);
  gradient = hn::MulAdd(hn::Set(d, step.gradient_decay), before, gradient);
  const auto first = hn::MulAdd(hn::Set(d, step.beta1), hn::LoadU(d, p.first_moments + k),
                                hn::Mul(hn::Set(d, step.one_minus_beta1), gradient));
  const auto second = hn::MulAdd(hn::Set(d, step.beta2), hn::LoadU(d, p.second_moments + k),
                                 hn::Mul(hn::Mul(hn::Set(d, step.one_minus_beta2), gradient), gradient));
  const auto denominator = hn::MulAdd(hn::Sqrt(second), hn::Set(d, step.second_moment_scale), hn::Set(d, step.epsilon));
  const auto value =
      hn::NegMulAdd(hn::Set(d, step.step_size), hn::Div(first, denominator), hn::Mul(hn::Set(d, step.shrink), before));
  hn::StoreU(first, d, p.first_moments + k);
  hn::StoreU(second, d, p.second_moments + k);
  hn::StoreU(value, d, p.values + k);
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void StepVector(D d, hn::Vec<D> gradient, const ParameterView<T>& p, std::size_t k, const SgdStep<T>& step) {
  const auto before = hn::LoadU(d, p.values + k);
  auto direction = hn::MulAdd(hn::Set(d, step.gradient_decay), before, gradient);
  if (p.first_moments != nullptr) {
    const auto momentum = hn::Set(d, step.momentum);
    const auto moment = hn::MulAdd(momentum, hn::LoadU(d, p.first_moments + k), direction);
    hn::StoreU(moment, d, p.first_moments + k);
    direction = step.nesterov ? hn::MulAdd(momentum, moment, direction) : moment;
  }
  hn::StoreU(hn::NegMulAdd(hn::Set(d, step.step_size), direction, before), d, p.values + k);
}

template <typename T>
void SparseProduct(std::span<const SparseVector<T>> rows, const T* panel, std::size_t width, T* out,
                   std::size_t stride) {
  ForEachBlock<T>(width, [&](auto d, auto vectors, std::size_t k) HWY_ATTR {
    constexpr int vectors_in_flight = decltype(vectors)::value;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      hn::Vec<decltype(d)> sums[vectors_in_flight];
      Combine<vectors_in_flight>(d, rows[r], panel + k, width, sums);
      for (int i = 0; i < vectors_in_flight; ++i) hn::StoreU(sums[i], d, out + r * stride + k + i * hn::Lanes(d));
    }
  });
}

template <typename T, class Step>
void SparseUpdate(std::span<const std::uint32_t> features, std::span<const SparseVector<T>> columns, const T* delta,
                  std::size_t width, const ParameterView<T>& panel, const Step& step) {
  for (const std::uint32_t feature : features) {
    const SparseVector<T>& column = columns[feature];
    if (column.count == 0 && step.needs_gradient()) continue;
    const ParameterView<T> row = panel.at(static_cast<std::ptrdiff_t>(feature * width));
    ForEachBlock<T>(width, [&](auto d, auto vectors, std::size_t k) HWY_ATTR {
      constexpr int vectors_in_flight = decltype(vectors)::value;
      hn::Vec<decltype(d)> gradient[vectors_in_flight];
      Combine<vectors_in_flight>(d, column, delta + k, width, gradient);
      for (int i = 0; i < vectors_in_flight; ++i) StepVector(d, gradient[i], row, k + i * hn::Lanes(d), step);
    });
  }
}

template <typename T, class Step>
void Update(std::size_t count, const T* gradient, const ParameterView<T>& parameters, const Step& step) {
  ForEachBlock<T>(count, [&](auto d, auto vectors, std::size_t k) HWY_ATTR {
    constexpr int vectors_in_flight = decltype(vectors)::value;
    for (int i = 0; i < vectors_in_flight; ++i) {
      const std::size_t at = k + i * hn::Lanes(d);
      StepVector(d, hn::LoadU(d, gradient + at), parameters, at, step);
    }
  });
}

template <typename T>
void ColumnSums(const T* values, std::size_t rows, std::size_t stride, std::size_t width, T* sums) {
  ForEachBlock<T>(width, [&](auto d, auto vectors, std::size_t k) HWY_ATTR {
    constexpr int vectors_in_flight = decltype(vectors)::value;
    hn::Vec<decltype(d)> sum[vectors_in_flight];
    for (int i = 0; i < vectors_in_flight; ++i) sum[i] = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r) {
      const T* HWY_RESTRICT row = values + r * stride + k;
      for (int i = 0; i < vectors_in_flight; ++i) sum[i] = hn::Add(sum[i], hn::LoadU(d, row + i * hn::Lanes(d)));
    }
    for (int i = 0; i < vectors_in_flight; ++i) hn::StoreU(sum[i], d, sums + k + i * hn::Lanes(d));
  });
}

// Highway's dispatch tables take plain functions, not templates.
#define PRIORFIT_PASSES(T, Suffix)                                                                             \
  void SparseProduct##Suffix(std::span<const SparseVector<T>> rows, const T* panel, std::size_t width, T* out, \
                             std::size_t stride) {                                                             \
    SparseProduct<T>(rows, panel, width, out, stride);                                                         \
  }                                                                                                            \
  void SparseUpdate##Suffix(std::span<const std::uint32_t> features, std::span<const SparseVector<T>> columns, \
                            const T* delta, std::size_t width, const ParameterView<T>& panel,                  \
                            const OptimizerStep<T>& step) {                                                    \
    if (const auto* adam = std::get_if<AdamStep<T>>(&step)) {                                                  \
      SparseUpdate<T>(features, columns, delta, width, panel, *adam);                                          \
    } else {                                                                                                   \
      SparseUpdate<T>(features, columns, delta, width, panel, std::get<SgdStep<T>>(step));                     \
    }                                                                                                          \
  }                                                                                                            \
  void Update##Suffix(std::size_t count, const T* gradient, const ParameterView<T>& parameters,                \
                      const OptimizerStep<T>& step) {                                                          \
    if (const auto* adam = std::get_if<AdamStep<T>>(&step)) {                                                  \
      Update<T>(count, gradient, parameters, *adam);                                                           \
    } else {                                                                                                   \
      Update<T>(count, gradient, parameters, std::get<SgdStep<T>>(step));                                      \
    }                                                                                                          \
  }                                                                                                            \
  void ColumnSums##Suffix(const T* values, std::size_t rows, std::size_t stride, std::size_t width, T* sums) { \
    ColumnSums<T>(values, rows, stride, width, sums);                                                          \
  }
PRIORFIT_PASSES(float, F)
PRIORFIT_PASSES(double, D)
#undef PRIORFIT_PASSES

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

#define PRIORFIT_DISPATCH(T, Suffix)                                                                                   \
  HWY_EXPORT(SparseProduct##Suffix);                                                                                   \
  HWY_EXPORT(SparseUpdate##Suffix);                                                                                    \
  HWY_EXPORT(Update##Suffix);                                                                                          \
  HWY_EXPORT(ColumnSums##Suffix);                                                                                      \
  void sparse_product(std::span<const SparseVector<T>> rows, const T* panel, std::size_t width, T* out,                \
                      std::size_t stride) {                                                                            \
    HWY_DYNAMIC_DISPATCH(SparseProduct##Suffix)(rows, panel, width, out, stride);                                      \
  }                                                                                                                    \
  void sparse_update(std::span<const std::uint32_t> features, std::span<const SparseVector<T>> columns,                \
                     const T* delta, std::size_t width, const ParameterView<T>& panel, const OptimizerStep<T>& step) { \
    HWY_DYNAMIC_DISPATCH(SparseUpdate##Suffix)(features, columns, delta, width, panel, step);                          \
  }                                                                                                                    \
  void update(std::size_t count, const T* gradient, const ParameterView<T>& parameters,                                \
              const OptimizerStep<T>& step) {                                                                          \
    HWY_DYNAMIC_DISPATCH(Update##Suffix)(count, gradient, parameters, step);                                           \
  }                                                                                                                    \
  void column_sums(const T* values, std::size_t rows, std::size_t stride, std::size_t width, T* sums) {                \
    HWY_DYNAMIC_DISPATCH(ColumnSums##Suffix)(values, rows, stride, width, sums);                                       \
  }
PRIORFIT_DISPATCH(float, F)
PRIORFIT_DISPATCH(double, D)
#undef PRIORFIT_DISPATCH

}  // namespace priorfit::internal
#endif  // HWY_ONCE

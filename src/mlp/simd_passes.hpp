// The vector loops of training, compiled for several instruction sets and chosen at run time.
//
// Every output number is summed in its own vector lane in the order of the input, so the result does not depend on
// the vector length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace priorfit::mlp {

/// The non-zeros of one row or column of a batch.
template <typename T>
struct SparseVector {
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
  std::size_t count = 0;
};

/// One Adam step's constants: m = β1 m + (1-β1) g, v = β2 v + (1-β2) g², w -= step_size · m / (√v · scale + ε).
template <typename T>
struct AdamStep {
  T beta1, one_minus_beta1;
  T beta2, one_minus_beta2;
  T step_size;            // learning rate / (1 - β1^t)
  T second_moment_scale;  // 1 / √(1 - β2^t)
  T epsilon;
};

/// Parameters and their moments, at the same index of three arrays.
template <typename T>
struct ParameterView {
  T* values;
  T* first_moments;
  T* second_moments;

  ParameterView at(std::ptrdiff_t offset) const {
    return {values + offset, first_moments + offset, second_moments + offset};
  }
};

/// out[r, k] = Σ_j rows[r]_j · panel[j, k]: rows.size() × width, `stride` apart.
void sparse_product(std::span<const SparseVector<float>> rows, const float* panel, std::size_t width, float* out,
                    std::size_t stride);
void sparse_product(std::span<const SparseVector<double>> rows, const double* panel, std::size_t width, double* out,
                    std::size_t stride);

/// For every feature j listed: the gradient g[k] = Σ_s columns[j]_s · delta[s, k], used at once for the Adam step of
/// row j of the panel and never stored. `delta`: samples × width, contiguous.
void sparse_update(std::span<const std::uint32_t> features, std::span<const SparseVector<float>> columns,
                   const float* delta, std::size_t width, const ParameterView<float>& panel,
                   const AdamStep<float>& step);
void sparse_update(std::span<const std::uint32_t> features, std::span<const SparseVector<double>> columns,
                   const double* delta, std::size_t width, const ParameterView<double>& panel,
                   const AdamStep<double>& step);

/// Adam for `count` consecutive parameters.
void adam_update(std::size_t count, const float* gradient, const ParameterView<float>& parameters,
                 const AdamStep<float>& step);
void adam_update(std::size_t count, const double* gradient, const ParameterView<double>& parameters,
                 const AdamStep<double>& step);

/// sums[k] = Σ_r values[r · stride + k], k < width.
void column_sums(const float* values, std::size_t rows, std::size_t stride, std::size_t width, float* sums);
void column_sums(const double* values, std::size_t rows, std::size_t stride, std::size_t width, double* sums);

}  // namespace priorfit::mlp

// The vector loops of training, compiled for several instruction sets and chosen at run time.
//
// Every output number is summed in its own vector lane in the order of the input, so the result does not depend on
// the vector length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace priorfit::internal {

/// The non-zeros of one row or column of a batch.
template <typename T>
struct SparseVector {
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
  std::size_t count = 0;
};

/// One step's constants of Adam and AdamW: g += gradient_decay · w, m = β1 m + (1-β1) g, v = β2 v + (1-β2) g²,
/// w = shrink · w - step_size · m / (√v · scale + ε).
template <typename T>
struct AdamStep {
  T beta1, one_minus_beta1;
  T beta2, one_minus_beta2;
  T step_size;            // learning rate / (1 - β1^t)
  T second_moment_scale;  // 1 / √(1 - β2^t)
  T epsilon;
  T gradient_decay = 0;  // weight decay of Adam
  T shrink = 1;          // 1 - learning rate · weight decay of AdamW

  bool needs_gradient() const { return false; }  // the moments move a weight without one
};

/// One step's constants of gradient descent: g += gradient_decay · w, b = momentum · b + g, w -= step_size · d, where d
/// is b, with Nesterov's look ahead g + momentum · b, and without momentum g itself.
template <typename T>
struct SgdStep {
  T step_size;
  T momentum;
  bool nesterov;
  T gradient_decay;

  bool needs_gradient() const { return momentum == 0 && gradient_decay == 0; }
};

template <typename T>
using OptimizerStep = std::variant<AdamStep<T>, SgdStep<T>>;

/// Parameters and their moments, at the same index of three arrays. Moments that the optimiser does not keep are null.
template <typename T>
struct ParameterView {
  T* values;
  T* first_moments;  // of sgd: its momentum
  T* second_moments;

  ParameterView at(std::ptrdiff_t offset) const {
    const auto moved = [offset](T* array) { return array == nullptr ? nullptr : array + offset; };
    return {values + offset, moved(first_moments), moved(second_moments)};
  }
};

/// out[r, k] = Σ_j rows[r]_j · panel[j, k]: rows.size() × width, `stride` apart.
void sparse_product(std::span<const SparseVector<float>> rows, const float* panel, std::size_t width, float* out,
                    std::size_t stride);
void sparse_product(std::span<const SparseVector<double>> rows, const double* panel, std::size_t width, double* out,
                    std::size_t stride);

/// For every feature j listed: the gradient g[k] = Σ_s columns[j]_s · delta[s, k], used at once for the step of row j
/// of the panel and never stored. `delta`: samples × width, contiguous.
void sparse_update(std::span<const std::uint32_t> features, std::span<const SparseVector<float>> columns,
                   const float* delta, std::size_t width, const ParameterView<float>& panel,
                   const OptimizerStep<float>& step);
void sparse_update(std::span<const std::uint32_t> features, std::span<const SparseVector<double>> columns,
                   const double* delta, std::size_t width, const ParameterView<double>& panel,
                   const OptimizerStep<double>& step);

/// One step of `count` consecutive parameters.
void update(std::size_t count, const float* gradient, const ParameterView<float>& parameters,
            const OptimizerStep<float>& step);
void update(std::size_t count, const double* gradient, const ParameterView<double>& parameters,
            const OptimizerStep<double>& step);

/// sums[k] = Σ_r values[r · stride + k], k < width.
void column_sums(const float* values, std::size_t rows, std::size_t stride, std::size_t width, float* sums);
void column_sums(const double* values, std::size_t rows, std::size_t stride, std::size_t width, double* sums);

}  // namespace priorfit::internal

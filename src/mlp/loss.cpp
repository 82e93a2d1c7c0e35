#include "mlp/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace internal {
namespace {

template <typename T>
double squared_row(const T* output, const T* target, Index count, T scale, T* delta) {
  double sum = 0.0;
  for (Index k = 0; k < count; ++k) {
    const double error = static_cast<double>(output[k]) - static_cast<double>(target[k]);
    sum += error * error;
    if (delta != nullptr) delta[k] = scale * (output[k] - target[k]);
  }
  return sum / static_cast<double>(count);
}

// log Σ exp z = max z + log Σ exp(z - max z), where nothing overflows.
template <typename T>
double softmax_row(const T* output, int label, Index count, double smoothing, T scale, T* delta) {
  const T largest = *std::max_element(output, output + count);
  double sum = 0.0, mean = 0.0;
  for (Index k = 0; k < count; ++k) {
    const T value = std::exp(output[k] - largest);
    if (delta != nullptr) delta[k] = value;
    sum += static_cast<double>(value);
    mean += static_cast<double>(output[k] - largest);
  }
  mean /= static_cast<double>(count);
  if (delta != nullptr) {
    const T factor = scale / static_cast<T>(sum), everywhere = scale * static_cast<T>(smoothing / double(count));
    for (Index k = 0; k < count; ++k) delta[k] = delta[k] * factor - everywhere;
    delta[label] -= scale * static_cast<T>(1.0 - smoothing);
  }
  return std::log(sum) - (1.0 - smoothing) * static_cast<double>(output[label] - largest) - smoothing * mean;
}

// Two classes by one output z, the logit of class 1: log(1 + e^z) - target · z.
template <typename T>
double logistic_row(T output, int label, double smoothing, T scale, T* delta) {
  const double z = static_cast<double>(output), tail = std::exp(-std::abs(z));
  const double target = (1.0 - smoothing) * label + smoothing / 2;
  if (delta != nullptr) {
    const double probability = z >= 0 ? 1.0 / (1.0 + tail) : tail / (1.0 + tail);
    *delta = scale * static_cast<T>(probability - target);
  }
  // The larger of z's two terms is taken out, so that neither cancels the other.
  return std::log1p(tail) + (z >= 0 ? (1.0 - target) * z : -target * z);
}

template <typename T>
BatchLoss loss_of(const LossRule& rule, const Batch<T>& batch, const T* outputs, Index count, T* delta) {
  const bool squared = rule.kind == Loss::squared;
  const T scale = (squared ? T{2} / static_cast<T>(count) : T{1}) / static_cast<T>(batch.rows);
  BatchLoss result;
  for (Index row = 0; row < batch.rows; ++row) {
    const T* output = outputs + row * count;
    T* slope = delta == nullptr ? nullptr : delta + row * count;
    const int label = batch.labels.empty() ? 0 : batch.labels[static_cast<std::size_t>(row)];
    if (squared) {
      result.sum += squared_row(output, batch.targets.data() + row * count, count, scale, slope);
    } else if (count == 1) {
      result.sum += logistic_row(*output, label, rule.label_smoothing, scale, slope);
    } else {
      result.sum += softmax_row(output, label, count, rule.label_smoothing, scale, slope);
    }
    if (!batch.labels.empty() && answer(output, count) == label) ++result.correct;
  }
  return result;
}

}  // namespace

BatchLoss batch_loss(const LossRule& rule, const Batch<float>& batch, const float* outputs, Index count, float* delta) {
  return loss_of(rule, batch, outputs, count, delta);
}

BatchLoss batch_loss(const LossRule& rule, const Batch<double>& batch, const double* outputs, Index count,
                     double* delta) {
  return loss_of(rule, batch, outputs, count, delta);
}

}  // namespace internal

std::string_view to_string(Loss loss) { return loss == Loss::squared ? "squared" : "cross-entropy"; }

Loss parse_loss(std::string_view name) {
  const std::string word = usual_name(name, {{"mse", "squared"},
                                             {"mean_squared_error", "squared"},
                                             {"squared_error", "squared"},
                                             {"ce", "cross_entropy"},
                                             {"crossentropy", "cross_entropy"}});
  if (word == "squared") return Loss::squared;
  if (word == "cross_entropy") return Loss::cross_entropy;
  throw Error(ErrorKind::usage, fmt::format("loss '{}' is unknown{} (squared, cross-entropy)", name,
                                            suggestion(name, {"squared", "cross-entropy"})));
}

Loss default_loss(bool has_labels) { return has_labels ? Loss::cross_entropy : Loss::squared; }

}  // namespace priorfit

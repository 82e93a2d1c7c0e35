#include "mlp/optimizer.hpp"

#include <cmath>

namespace priorfit::internal {

template <typename T>
OptimizerStep<T> optimizer_step(const OptimizerOptions& optimizer, double learning_rate, std::uint64_t step) {
  if (optimizer.kind == OptimizerKind::sgd) {
    return SgdStep<T>{static_cast<T>(learning_rate), static_cast<T>(optimizer.momentum), optimizer.nesterov,
                      static_cast<T>(optimizer.weight_decay)};
  }
  const auto t = static_cast<double>(step);
  const double correction1 = 1.0 - std::pow(optimizer.beta1, t);
  const double correction2 = 1.0 - std::pow(optimizer.beta2, t);
  const bool decoupled = optimizer.kind == OptimizerKind::adamw;
  return AdamStep<T>{.beta1 = static_cast<T>(optimizer.beta1),
                     .one_minus_beta1 = static_cast<T>(1.0 - optimizer.beta1),
                     .beta2 = static_cast<T>(optimizer.beta2),
                     .one_minus_beta2 = static_cast<T>(1.0 - optimizer.beta2),
                     .step_size = static_cast<T>(learning_rate / correction1),
                     .second_moment_scale = static_cast<T>(1.0 / std::sqrt(correction2)),
                     .epsilon = static_cast<T>(optimizer.epsilon),
                     .gradient_decay = static_cast<T>(decoupled ? 0.0 : optimizer.weight_decay),
                     .shrink = static_cast<T>(decoupled ? 1.0 - learning_rate * optimizer.weight_decay : 1.0)};
}

template OptimizerStep<float> optimizer_step(const OptimizerOptions&, double, std::uint64_t);
template OptimizerStep<double> optimizer_step(const OptimizerOptions&, double, std::uint64_t);

bool keeps_first_moments(const OptimizerOptions& optimizer) {
  return optimizer.kind != OptimizerKind::sgd || optimizer.momentum > 0;
}

bool keeps_second_moments(const OptimizerOptions& optimizer) { return optimizer.kind != OptimizerKind::sgd; }

}  // namespace priorfit::internal

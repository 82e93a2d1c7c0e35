#include "mlp/run_identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "support/checksum.hpp"

namespace priorfit::internal {
namespace {

std::uint32_t parameter_checksum(const Mlp& network) {
  std::uint32_t checksum = 0;
  for (const DenseLayer& layer : network.layers) {
    checksum = internal::add_to_checksum(checksum, std::span(layer.weights.data(), std::size_t(layer.weights.size())));
    checksum = internal::add_to_checksum(checksum, std::span(layer.bias.data(), std::size_t(layer.bias.size())));
  }
  return checksum;
}

std::string shape_text(const Mlp& network) {
  std::string text = fmt::format("{}", network.features());
  for (const DenseLayer& layer : network.layers) text += fmt::format("-{}", layer.outputs());
  return text;
}

std::string data_text(const InputRows<float>& rows) {
  return rows.size() == 0 ? "none" : fmt::format("{:08x}", rows.checksum());
}

// A rate that falls until the last epoch depends on which is the last; a constant one does not.
std::string schedule_text(const TrainOptions& options) {
  const LearningRateSchedule& rate = options.learning_rate;
  std::string text = fmt::format("{}, warm-up {}", to_string(rate.decay), rate.warmup_epochs);
  return rate.decay == Decay::constant ? text : text + fmt::format(", {} epochs", options.epochs);
}

}  // namespace

// Threads, patience and the number of epochs are not part of it: they do not change the epochs already done.
RunIdentity run_identity(const Mlp& network, const InputRows<float>& train, const InputRows<float>& test,
                         const TrainOptions& options) {
  const OptimizerOptions& optimizer = options.optimizer;
  const auto number = [](double value) { return fmt::format("{}", value); };
  const std::span scale(options.target_scale.data(), static_cast<std::size_t>(options.target_scale.size()));
  return {{"network", shape_text(network)},
          {"activation", network.spec.activation.name()},
          {"initial parameters", fmt::format("{:08x}", parameter_checksum(network))},
          {"training samples", fmt::format("{}", train.size())},
          {"preparation", options.preparation.empty() ? "unknown" : options.preparation},
          {"training data", data_text(train)},
          {"test data", data_text(test)},
          {"target scale", fmt::format("[{}]", fmt::join(scale, ", "))},
          {"loss", std::string(to_string(*options.loss))},
          {"label_smoothing", number(options.label_smoothing)},
          {"batch", fmt::format("{}", options.batch)},
          {"seed", fmt::format("{}", options.seed)},
          {"validation_fraction", number(options.validation_fraction)},
          {"optimizer", std::string(to_string(optimizer.kind))},
          {"learning_rate", number(*options.learning_rate.base)},
          {"learning rate schedule", schedule_text(options)},
          {"weight_decay", number(optimizer.weight_decay)},
          {"momentum", number(optimizer.momentum)},
          {"nesterov", optimizer.nesterov ? "yes" : "no"},
          {"beta1", number(optimizer.beta1)},
          {"beta2", number(optimizer.beta2)},
          {"epsilon", number(optimizer.epsilon)},
          {"sparse", train.sparse() ? "yes" : "no"}};
}

}  // namespace priorfit::internal

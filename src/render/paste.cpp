#include <fmt/format.h>

#include <cmath>

#include "priorfit/recommend.hpp"

namespace priorfit {
namespace {

std::string pytorch_lines(const LayerPrior& prior) {
  const std::string bias = prior.bias_variance == 0 ? std::string("torch.nn.init.zeros_(module.bias)")
                                                    : fmt::format("torch.nn.init.normal_(module.bias, std={:.6g})",
                                                                  std::sqrt(prior.bias_variance));
  std::string text = fmt::format(
      "def priorfit_init(module):\n"
      "    if isinstance(module, torch.nn.Linear):\n"
      "        torch.nn.init.normal_(module.weight, std=({:.6g} / module.in_features) ** 0.5)\n"
      "        {}\n"
      "model.apply(priorfit_init)\n",
      prior.weight_variance, bias);
  if (prior.output_weight_variance) {
    text += fmt::format(
        "output = [module for module in model.modules() if isinstance(module, torch.nn.Linear)][-1]\n"
        "torch.nn.init.normal_(output.weight, std=({:.6g} / output.in_features) ** 0.5)\n"
        "torch.nn.init.zeros_(output.bias)\n",
        *prior.output_weight_variance);
  }
  return text;
}

std::string keras_lines(const LayerPrior& prior) {
  const auto kernel = [](double variance) {
    return fmt::format(
        "keras.initializers.VarianceScaling({:.6g}, mode=\"fan_in\", distribution=\"untruncated_normal\")", variance);
  };
  const std::string bias = prior.bias_variance == 0 ? std::string("\"zeros\"")
                                                    : fmt::format("keras.initializers.RandomNormal(stddev={:.6g})",
                                                                  std::sqrt(prior.bias_variance));
  std::string text = fmt::format(
      "kernel = {}\nbias = {}\n"
      "keras.layers.Dense(units, kernel_initializer=kernel, bias_initializer=bias)  # every {}layer\n",
      kernel(prior.weight_variance), bias, prior.output_weight_variance ? "hidden " : "");
  if (prior.output_weight_variance) {
    text += fmt::format("output = {}\nkeras.layers.Dense(units, kernel_initializer=output)  # the output layer\n",
                        kernel(*prior.output_weight_variance));
  }
  return text;
}

std::string flax_lines(const LayerPrior& prior) {
  const auto kernel = [](double variance) {
    return fmt::format("nn.initializers.variance_scaling({:.6g}, \"fan_in\", \"normal\")", variance);
  };
  const std::string bias = prior.bias_variance == 0
                               ? std::string("nn.initializers.zeros")
                               : fmt::format("nn.initializers.normal(stddev={:.6g})", std::sqrt(prior.bias_variance));
  std::string text =
      fmt::format("kernel = {}\nbias = {}\nnn.Dense(features, kernel_init=kernel, bias_init=bias)  # every {}layer\n",
                  kernel(prior.weight_variance), bias, prior.output_weight_variance ? "hidden " : "");
  if (prior.output_weight_variance) {
    text += fmt::format("output = {}\nnn.Dense(features, kernel_init=output)  # the output layer\n",
                        kernel(*prior.output_weight_variance));
  }
  return text;
}

}  // namespace

PasteLines paste_lines(const LayerPrior& prior) {
  return {pytorch_lines(prior), keras_lines(prior), flax_lines(prior)};
}

}  // namespace priorfit

#include <fmt/format.h>

#include <cmath>

#include "priorfit/recommend.hpp"

namespace priorfit {

PasteLines paste_lines(const Prior& prior) {
  const double weight = prior.weight_variance;
  const double bias_deviation = std::sqrt(prior.bias_variance);
  const bool zero = prior.bias_variance == 0;
  PasteLines lines;
  lines.pytorch = fmt::format(
      "def priorfit_init(module):\n"
      "    if isinstance(module, torch.nn.Linear):\n"
      "        torch.nn.init.normal_(module.weight, std=({:.6g} / module.in_features) ** 0.5)\n"
      "        {}\n"
      "model.apply(priorfit_init)\n",
      weight,
      zero ? std::string("torch.nn.init.zeros_(module.bias)")
           : fmt::format("torch.nn.init.normal_(module.bias, std={:.6g})", bias_deviation));
  lines.keras = fmt::format(
      "kernel = keras.initializers.VarianceScaling({:.6g}, mode=\"fan_in\", distribution=\"untruncated_normal\")\n"
      "bias = {}\n"
      "keras.layers.Dense(units, kernel_initializer=kernel, bias_initializer=bias)  # every layer\n",
      weight,
      zero ? std::string("\"zeros\"") : fmt::format("keras.initializers.RandomNormal(stddev={:.6g})", bias_deviation));
  lines.flax = fmt::format(
      "kernel = nn.initializers.variance_scaling({:.6g}, \"fan_in\", \"normal\")\n"
      "bias = {}\n"
      "nn.Dense(features, kernel_init=kernel, bias_init=bias)  # every layer\n",
      weight,
      zero ? std::string("nn.initializers.zeros") : fmt::format("nn.initializers.normal(stddev={:.6g})", bias_deviation));
  return lines;
}

}  // namespace priorfit

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "priorfit/recommend.hpp"

namespace priorfit {
namespace {

/// "1.2, 0.8, 1" of the weights or biases of every layer
std::string list_of(const Initialisation& start, double LayerPrior::*variance) {
  std::vector<std::string> texts;
  for (const LayerPrior& layer : start.layers) texts.push_back(fmt::format("{:.6g}", layer.*variance));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// One pair for the hidden layers and, where it has its own, a variance for the output.
struct Pair {
  LayerPrior hidden;
  std::optional<double> output;
};

std::optional<Pair> pair_of(const Initialisation& start) {
  const std::optional<double> output = start.own_output();
  if (!start.pair() && !output) return std::nullopt;
  return Pair{start.layers.front(), output};
}

std::string pytorch_pair(const Pair& pair) {
  const std::string bias =
      pair.hidden.bias_variance == 0
          ? std::string("torch.nn.init.zeros_(module.bias)")
          : fmt::format("torch.nn.init.normal_(module.bias, std={:.6g})", std::sqrt(pair.hidden.bias_variance));
  std::string text = fmt::format(
      "def priorfit_init(module):\n"
      "    if isinstance(module, torch.nn.Linear):\n"
      "        torch.nn.init.normal_(module.weight, std=({:.6g} / module.in_features) ** 0.5)\n"
      "        {}\n"
      "model.apply(priorfit_init)\n",
      pair.hidden.weight_variance, bias);
  if (pair.output) {
    text += fmt::format(
        "output = [module for module in model.modules() if isinstance(module, torch.nn.Linear)][-1]\n"
        "torch.nn.init.normal_(output.weight, std=({:.6g} / output.in_features) ** 0.5)\n"
        "torch.nn.init.zeros_(output.bias)\n",
        *pair.output);
  }
  return text;
}

std::string pytorch_layers(const Initialisation& start) {
  return fmt::format(
      "weights = [{}]  # variances, first layer first\n"
      "biases = [{}]\n"
      "linears = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]\n"
      "for module, weight, bias in zip(linears, weights, biases, strict=True):\n"
      "    torch.nn.init.normal_(module.weight, std=(weight / module.in_features) ** 0.5)\n"
      "    torch.nn.init.normal_(module.bias, std=bias ** 0.5)\n",
      list_of(start, &LayerPrior::weight_variance), list_of(start, &LayerPrior::bias_variance));
}

/// How a framework with initialisers per layer writes them.
struct Dialect {
  const char* kernel;     // with the variance
  const char* kernel_of;  // with the name of a variable
  const char* no_bias;
  const char* bias;  // with the standard deviation
  const char* bias_of;
  const char* dense;  // with the names of two variables
  const char* dense_no_bias;
};

constexpr Dialect keras = {
    "keras.initializers.VarianceScaling({:.6g}, mode=\"fan_in\", distribution=\"untruncated_normal\")",
    "keras.initializers.VarianceScaling({}, mode=\"fan_in\", distribution=\"untruncated_normal\")",
    "\"zeros\"",
    "keras.initializers.RandomNormal(stddev={:.6g})",
    "keras.initializers.RandomNormal(stddev={} ** 0.5)",
    "keras.layers.Dense(units, kernel_initializer={}, bias_initializer={})",
    "keras.layers.Dense(units, kernel_initializer={})"};

constexpr Dialect flax = {"nn.initializers.variance_scaling({:.6g}, \"fan_in\", \"normal\")",
                          "nn.initializers.variance_scaling({}, \"fan_in\", \"normal\")",
                          "nn.initializers.zeros",
                          "nn.initializers.normal(stddev={:.6g})",
                          "nn.initializers.normal(stddev={} ** 0.5)",
                          "nn.Dense(features, kernel_init={}, bias_init={})",
                          "nn.Dense(features, kernel_init={})"};

template <typename... Values>
std::string fill(const char* text, const Values&... values) {
  return fmt::format(fmt::runtime(text), values...);
}

std::string dense_pair(const Dialect& dialect, const Pair& pair) {
  const double bias = pair.hidden.bias_variance;
  std::string text =
      fmt::format("kernel = {}\nbias = {}\n{}  # every {}layer\n", fill(dialect.kernel, pair.hidden.weight_variance),
                  bias == 0 ? std::string(dialect.no_bias) : fill(dialect.bias, std::sqrt(bias)),
                  fill(dialect.dense, "kernel", "bias"), pair.output ? "hidden " : "");
  if (pair.output) {
    text += fmt::format("output = {}\n{}  # the output layer\n", fill(dialect.kernel, *pair.output),
                        fill(dialect.dense_no_bias, "output"));
  }
  return text;
}

std::string dense_layers(const Dialect& dialect, const Initialisation& start) {
  return fmt::format(
      "kernels = [{} for v in ({})]  # first layer first\n"
      "biases = [{} for v in ({})]\n"
      "{}  # the first layer, and so on\n",
      fill(dialect.kernel_of, "v"), list_of(start, &LayerPrior::weight_variance), fill(dialect.bias_of, "v"),
      list_of(start, &LayerPrior::bias_variance), fill(dialect.dense, "kernels[0]", "biases[0]"));
}

}  // namespace

PasteLines paste_lines(const Initialisation& start) {
  if (const auto pair = pair_of(start)) {
    return {pytorch_pair(*pair), dense_pair(keras, *pair), dense_pair(flax, *pair)};
  }
  return {pytorch_layers(start), dense_layers(keras, start), dense_layers(flax, start)};
}

}  // namespace priorfit

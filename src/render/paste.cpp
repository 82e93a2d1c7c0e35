// Lines to paste. They are run in the frameworks themselves by tests/python.
#include <fmt/format.h>

#include "priorfit/error.hpp"
#include "priorfit/recommend.hpp"
#include "render/advice.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

/// "[(1.2, 0.1)] * 2 + [(0.01, 0)]": layers that are alike are counted, or a deep network would fill the screen.
std::string variances_text(const Initialisation& start) {
  std::string text;
  for (std::size_t l = 0; l < start.layers.size();) {
    std::size_t same = l + 1;
    while (same < start.layers.size() && start.layers[same] == start.layers[l]) ++same;
    text += fmt::format("{}[({:.6g}, {:.6g})]", text.empty() ? "" : " + ", start.layers[l].weight_variance,
                        start.layers[l].bias_variance);
    if (same - l > 1) text += fmt::format(" * {}", same - l);
    l = same;
  }
  return text;
}

std::string pytorch_lines(const Initialisation& start) {
  const bool normal = start.distribution == Distribution::normal;
  const char* draw = normal ? "    torch.nn.init.normal_(layer.weight, std=(weight / layer.in_features) ** 0.5)\n"
                              "    if layer.bias is not None: torch.nn.init.normal_(layer.bias, std=bias ** 0.5)\n"
                            : "    reach, shift = (3 * weight / layer.in_features) ** 0.5, (3 * bias) ** 0.5\n"
                              "    torch.nn.init.uniform_(layer.weight, -reach, reach)\n"
                              "    if layer.bias is not None: torch.nn.init.uniform_(layer.bias, -shift, shift)\n";
  return fmt::format(
      "variances = {}  # of weights (times inputs) and biases, per Linear\n"
      "layers = []  # every Linear, in the order they run; other layers are left alone\n"
      "hooks = [module.register_forward_hook(lambda m, *_: layers.append(m))\n"
      "         for module in model.modules() if isinstance(module, torch.nn.Linear)]\n"
      "with torch.no_grad(): model(inputs)  # a batch of yours\n"
      "for hook in hooks: hook.remove()\n"
      "for layer, (weight, bias) in zip(layers, variances, strict=True):\n"
      "{}",
      variances_text(start), draw);
}

std::string keras_lines(const Initialisation& start) {
  const bool normal = start.distribution == Distribution::normal;
  return fmt::format(
      "variances = {}  # of weights (times inputs) and biases, per Dense\n"
      "dense = [layer for layer in model.layers if isinstance(layer, keras.layers.Dense)]  # of a model that is built\n"
      "for layer, (weight, bias) in zip(dense, variances, strict=True):\n"
      "    kernel = keras.initializers.VarianceScaling(weight, mode=\"fan_in\", distribution=\"{}\")\n"
      "    layer.kernel.assign(kernel(layer.kernel.shape))\n"
      "    if layer.use_bias: layer.bias.assign({})\n",
      variances_text(start), normal ? "untruncated_normal" : "uniform",
      normal ? "keras.initializers.RandomNormal(stddev=bias ** 0.5)(layer.bias.shape)"
             : "keras.initializers.RandomUniform(-(3 * bias) ** 0.5, (3 * bias) ** 0.5)(layer.bias.shape)");
}

std::string flax_lines(const Initialisation& start) {
  const bool normal = start.distribution == Distribution::normal;
  return fmt::format(
      "variances = {}  # of weights (times inputs) and biases, per Dense\n"
      "kernels = [nn.initializers.variance_scaling(weight, \"fan_in\", \"{}\") for weight, _ in variances]\n"
      "biases = [{} for _, bias in variances]\n"
      "nn.Dense(features, kernel_init=kernels[0], bias_init=biases[0])  # the first layer, and so on\n",
      variances_text(start), normal ? "normal" : "uniform",
      normal ? "nn.initializers.normal(stddev=bias ** 0.5)"
             : "lambda key, shape, dtype=float, bias=bias: (3 * bias) ** 0.5 * jax.random.uniform(key, shape, dtype, "
               "-1, 1)");
}

}  // namespace

PasteLines paste_lines(const Initialisation& start) {
  return {pytorch_lines(start), keras_lines(start), flax_lines(start)};
}

PasteLines paste_lines(const Recommendation& answer) {
  PasteLines lines = paste_lines(answer.chosen.start);
  const std::string comment = paste_comment(answer);
  for (std::string* text : {&lines.pytorch, &lines.keras, &lines.flax}) text->insert(0, comment);
  return lines;
}

std::string_view to_string(Framework framework) {
  switch (framework) {
    case Framework::torch: return "torch";
    case Framework::keras: return "keras";
    case Framework::flax: return "flax";
    case Framework::none: return "none";
  }
  return "";
}

Framework parse_framework(std::string_view name) {
  std::vector<std::string> names;
  for (const Framework framework : {Framework::torch, Framework::keras, Framework::flax, Framework::none}) {
    if (name == to_string(framework)) return framework;
    names.emplace_back(to_string(framework));
  }
  throw Error(ErrorKind::usage,
              fmt::format("framework '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
}

Framework usual_framework(const CurrentStart& current) {
  return current.scheme == InitialScheme::keras ? Framework::keras : Framework::torch;
}

}  // namespace priorfit

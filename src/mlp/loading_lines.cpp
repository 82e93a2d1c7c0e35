#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "priorfit/weights.hpp"

namespace priorfit {
namespace {

// How PyTorch writes the activation as a module.
std::string torch_activation(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return "torch.nn.ReLU()";
  }
  return activation.name();
}

std::string torch_model(const Mlp& network) {
  const std::string activation = ", " + torch_activation(network.spec.activation) + ", ";
  std::string text = "torch.nn.Sequential(";
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    text += fmt::format("{}torch.nn.Linear({}, {})", l == 0 ? "" : activation, network.layers[l].inputs(),
                        network.layers[l].outputs());
  }
  return text + ")";
}

std::string torch_lines(const std::string& file, bool npz, const Mlp& network) {
  const std::string model = torch_model(network);
  if (npz) {
    return fmt::format(
        "# PyTorch: model = {}\n"
        "import numpy, torch\n"
        "model.load_state_dict({{k: torch.from_numpy(v) for k, v in numpy.load({}).items()}})\n",
        model, file);
  }
  return fmt::format(
      "# PyTorch: model = {}\n"
      "from safetensors.torch import load_file\n"
      "model.load_state_dict(load_file({}))\n",
      model, file);
}

std::string keras_lines(const std::string& file, bool npz, std::size_t layers) {
  if (npz) {
    return fmt::format(
        "# Keras: {0} Dense layers\n"
        "import numpy\n"
        "model.set_weights(list(numpy.load({1}).values()))\n"
        "# Flax: {0} nn.Dense layers in one nn.compact module\n"
        "import flax, numpy\n"
        "params = flax.traverse_util.unflatten_dict(dict(numpy.load({1})), sep=\"/\")\n",
        layers, file);
  }
  return fmt::format(
      "# Keras: {0} Dense layers\n"
      "from safetensors.numpy import load_file; w = load_file({1})\n"
      "model.set_weights([w[f\"Dense_{{i}}/{{part}}\"] for i in range({0}) for part in (\"kernel\", \"bias\")])\n"
      "# Flax: {0} nn.Dense layers in one nn.compact module\n"
      "from flax.traverse_util import unflatten_dict; from safetensors.numpy import load_file\n"
      "params = unflatten_dict(load_file({1}), sep=\"/\")\n",
      layers, file);
}

}  // namespace

std::string loading_lines(const std::filesystem::path& path, const Mlp& network, WeightLayout layout) {
  const bool npz = path.extension() == ".npz";
  const std::string file = nlohmann::json(path.string()).dump();  // quoted as Python quotes
  return layout == WeightLayout::torch ? torch_lines(file, npz, network)
                                       : keras_lines(file, npz, network.layers.size());
}

}  // namespace priorfit

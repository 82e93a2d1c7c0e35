#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "priorfit/weights.hpp"
#include "support/json.hpp"

namespace priorfit {
namespace {

// How the frameworks write the activation.
struct FrameworkNames {
  std::string torch;                  // an expression that makes the module
  std::string keras;                  // what Dense takes as its activation
  std::string flax;                   // a function
  std::string torch_definition = {};  // of the module, where PyTorch has none of its own
};

FrameworkNames functional(const std::string& module, const std::string& function, const std::string& keras,
                          const std::string& flax) {
  return {module + "()", keras, flax,
          fmt::format("{0} = type(\"{0}\", (torch.nn.Module,), {{\"forward\": lambda self, x: {1}(x)}}); ", module,
                      function)};
}

FrameworkNames framework_names(const Activation& activation) {
  using Kind = Activation::Kind;
  switch (activation.kind()) {
    case Kind::relu: return {"torch.nn.ReLU()", "\"relu\"", "nn.relu"};
    case Kind::leaky_relu:
      return {fmt::format("torch.nn.LeakyReLU({})", activation.negative_slope()),
              fmt::format("lambda x: tf.nn.leaky_relu(x, {})", activation.negative_slope()),
              fmt::format("lambda x: nn.leaky_relu(x, {})", activation.negative_slope())};
    case Kind::abs: return functional("Abs", "torch.abs", "tf.abs", "jnp.abs");
    case Kind::identity: return {"torch.nn.Identity()", "None", "lambda x: x"};
    case Kind::erf: return functional("Erf", "torch.erf", "tf.math.erf", "jax.lax.erf");
    case Kind::gelu: return {"torch.nn.GELU()", "\"gelu\"", "lambda x: nn.gelu(x, approximate=False)"};
    case Kind::sin: return functional("Sin", "torch.sin", "tf.sin", "jnp.sin");
    case Kind::cos: return functional("Cos", "torch.cos", "tf.cos", "jnp.cos");
    case Kind::tanh: return {"torch.nn.Tanh()", "\"tanh\"", "nn.tanh"};
    case Kind::sigmoid: return {"torch.nn.Sigmoid()", "\"sigmoid\"", "nn.sigmoid"};
    case Kind::silu: return {"torch.nn.SiLU()", "\"swish\"", "nn.silu"};
    case Kind::elu: return {"torch.nn.ELU()", "\"elu\"", "nn.elu"};
    case Kind::selu: return {"torch.nn.SELU()", "\"selu\"", "nn.selu"};
    case Kind::softplus: return {"torch.nn.Softplus()", "\"softplus\"", "nn.softplus"};
    case Kind::custom: break;
  }
  // Only its author knows how to write it there.
  return {"YourModule()", "your_function", "your_function"};
}

std::vector<Index> sizes_of(const Mlp& network) {
  std::vector<Index> sizes = {network.features()};
  for (const DenseLayer& layer : network.layers) sizes.push_back(layer.outputs());
  return sizes;
}

std::string torch_model(const Mlp& network, const FrameworkNames& names) {
  constexpr Index spelt_out = 4;  // hidden layers; beyond, a line of them would be hard to read
  const std::vector<Index> sizes = sizes_of(network);
  if (network.spec.depth() > spelt_out) {
    const std::vector<Index>& hidden = network.spec.hidden_widths;
    const bool uniform = std::equal(hidden.begin() + 1, hidden.end(), hidden.begin());
    const std::string list =
        uniform ? fmt::format("[{}] + {} * [{}] + [{}]", sizes.front(), hidden.size(), hidden.front(), sizes.back())
                : fmt::format("[{}]", fmt::join(sizes, ", "));
    return fmt::format(
        "sizes = {}; model = torch.nn.Sequential(*[part for i, o in zip(sizes, sizes[1:]) "
        "for part in (torch.nn.Linear(i, o), {})][:-1])",
        list, names.torch);
  }
  std::string text = "model = torch.nn.Sequential(";
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    text += fmt::format("{}torch.nn.Linear({}, {})", l == 0 ? "" : ", " + names.torch + ", ", sizes[l], sizes[l + 1]);
  }
  return text + ")";
}

std::string torch_lines(const std::string& file, bool npz, const Mlp& network, const FrameworkNames& names) {
  const std::string model = names.torch_definition + torch_model(network, names);
  if (npz) {
    return fmt::format(
        "# PyTorch: {}\n"
        "import numpy, torch\n"
        "model.load_state_dict({{k: torch.from_numpy(v) for k, v in numpy.load({}).items()}})\n",
        model, file);
  }
  return fmt::format(
      "# PyTorch: {}\n"
      "from safetensors.torch import load_file\n"
      "model.load_state_dict(load_file({}))\n",
      model, file);
}

std::string keras_lines(const std::string& file, bool npz, std::size_t layers, const FrameworkNames& names) {
  const std::string keras =
      fmt::format("# Keras: {} Dense layers, activation={} in all but the last\n", layers, names.keras);
  const std::string flax =
      fmt::format("# Flax: {} nn.Dense layers in one nn.compact module, {} between them\n", layers, names.flax);
  if (npz) {
    return fmt::format(
        "{0}"
        "import numpy\n"
        "model.set_weights(list(numpy.load({2}).values()))\n"
        "{1}"
        "import flax, numpy\n"
        "params = flax.traverse_util.unflatten_dict(dict(numpy.load({2})), sep=\"/\")\n",
        keras, flax, file);
  }
  return fmt::format(
      "{0}"
      "from safetensors.numpy import load_file; w = load_file({2})\n"
      "model.set_weights([w[f\"Dense_{{i}}/{{part}}\"] for i in range({3}) for part in (\"kernel\", \"bias\")])\n"
      "{1}"
      "from flax.traverse_util import unflatten_dict; from safetensors.numpy import load_file\n"
      "params = unflatten_dict(load_file({2}), sep=\"/\")\n",
      keras, flax, file, layers);
}

}  // namespace

std::string loading_lines(const std::filesystem::path& path, const Mlp& network, WeightLayout layout) {
  const bool npz = path.extension() == ".npz";
  const std::string file = internal::Json(path.string()).dump();  // quoted as Python quotes
  const FrameworkNames names = framework_names(network.spec.activation);
  return layout == WeightLayout::torch ? torch_lines(file, npz, network, names)
                                       : keras_lines(file, npz, network.layers.size(), names);
}

}  // namespace priorfit

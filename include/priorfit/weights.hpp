// A network's parameters as a file that PyTorch, Keras, JAX and NumPy users load in two lines.
//
//     Mlp network = initialise(NetworkSpec::uniform(1), 784, 10, LayerPrior{2.8, 0.0}, /*seed=*/1);
//     save_weights("init.safetensors", network, {.layout = WeightLayout::torch, .metadata = {{"seed", "1"}}});
//     std::puts(loading_lines("init.safetensors", network, WeightLayout::torch).c_str());
//     Mlp again = load_weights("init.safetensors").network;  // bit for bit
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "priorfit/mlp.hpp"

namespace priorfit {

enum class WeightLayout {
  torch,  // "0.weight" outputs × inputs, "0.bias", "2.weight", …: the keys of nn.Sequential(Linear, Tanh, Linear, …)
  keras,  // "Dense_0/kernel" inputs × outputs, "Dense_0/bias", …: the order of get_weights(), the names of Flax
};

std::string_view to_string(WeightLayout layout);
WeightLayout parse_weight_layout(std::string_view name);  // throws Error(usage) with the nearest match

struct WeightFileOptions {
  WeightLayout layout = WeightLayout::torch;
  std::map<std::string, std::string> metadata = {};  // kept in .safetensors, with activation and crc32 added; an
                                                     // .npz holds arrays only
};

/// The format follows the name: .safetensors or .npz. The file appears at once or not at all; the same network gives
/// the same bytes. Throws Error(usage) for another extension, Error(io) when it cannot be written.
void save_weights(const std::filesystem::path& path, const Mlp& network, const WeightFileOptions& options = {});

struct LoadedWeights {
  Mlp network;  // its activation is the one that the metadata name; relu where they name none
  WeightLayout layout = WeightLayout::torch;
  std::map<std::string, std::string> metadata;
};

/// Reads what save_weights() writes, and any .safetensors or .npz of float32 arrays with those names. Throws Error(io)
/// when the file cannot be read, Error(data) that says what is wrong with it otherwise.
/// activation: for a file that names none (.npz) or names this one, as the file of an Activation::custom does. Without
/// it such a name is an Error(data).
LoadedWeights load_weights(const std::filesystem::path& path, const std::optional<Activation>& activation = {});

/// Lines of Python, with comments, that put the file into a model of the layout's frameworks.
std::string loading_lines(const std::filesystem::path& path, const Mlp& network, WeightLayout layout);

}  // namespace priorfit

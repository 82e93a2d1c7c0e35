#include "priorfit/weights.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "arrays/npz.hpp"
#include "mlp/npz_writer.hpp"
#include "mlp/safetensors.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

using internal::Tensor;

enum class FileFormat { safetensors, npz };

FileFormat format_of(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return FileFormat::safetensors;
  if (path.extension() == ".npz") return FileFormat::npz;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' must end in .safetensors or .npz: the ending chooses the format", path.string()));
}

std::string weight_name(WeightLayout layout, std::size_t l) {
  return layout == WeightLayout::torch ? fmt::format("{}.weight", 2 * l) : fmt::format("Dense_{}/kernel", l);
}

std::string bias_name(WeightLayout layout, std::size_t l) {
  return layout == WeightLayout::torch ? fmt::format("{}.bias", 2 * l) : fmt::format("Dense_{}/bias", l);
}

std::vector<Tensor> tensors_of(const Mlp& network, WeightLayout layout) {
  std::vector<Tensor> tensors;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const DenseLayer& layer = network.layers[l];
    Tensor weights{weight_name(layout, l), {layer.outputs(), layer.inputs()}, {}};
    weights.values.resize(static_cast<std::size_t>(layer.weights.size()));
    if (layout == WeightLayout::torch) {
      std::copy_n(layer.weights.data(), layer.weights.size(), weights.values.data());
    } else {
      std::swap(weights.shape[0], weights.shape[1]);
      Eigen::Map<FloatMatrix>(weights.values.data(), layer.inputs(), layer.outputs()) = layer.weights.transpose();
    }
    tensors.push_back(std::move(weights));
    tensors.push_back({bias_name(layout, l), {layer.outputs()}, {layer.bias.begin(), layer.bias.end()}});
  }
  return tensors;
}

std::vector<Tensor> read_npz(const std::filesystem::path& path) {
  const NpzFile file(path);
  std::vector<Tensor> tensors;
  for (const std::string& name : file.array_names()) {
    const std::optional<NpyArray> array = file.read(name);
    if (!array) throw Error(ErrorKind::data, fmt::format("{}: entry '{}' is not an array", path.string(), name));
    const NpyType& type = array->header.type;
    if (type.kind != NpyType::Kind::floating || type.bytes != 4) {
      throw Error(ErrorKind::data, fmt::format("{}: array '{}' is not float32", path.string(), name));
    }
    Tensor tensor{name, array->header.shape, {}};
    tensor.values.resize(static_cast<std::size_t>(array->values.size()));
    std::transform(array->values.data(), array->values.data() + array->values.size(), tensor.values.begin(),
                   [](double value) { return static_cast<float>(value); });
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// The format has no checksum of its own; this one, in the metadata, covers the tensors' bytes.
std::string checksum(const std::vector<Tensor>& tensors) {
  uLong sum = 0;
  for (const Tensor& tensor : tensors) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(tensor.values.data()), tensor.values.size() * sizeof(float));
  }
  return fmt::format("{:08x}", sum);
}

const Tensor* find(const std::vector<Tensor>& tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

DenseLayer layer_from(const std::vector<Tensor>& tensors, WeightLayout layout, std::size_t l, const std::string& file) {
  const Tensor& weights = *find(tensors, weight_name(layout, l));
  const Tensor* bias = find(tensors, bias_name(layout, l));
  const auto fail = [&](const std::string& what) { throw Error(ErrorKind::data, fmt::format("{}: {}", file, what)); };
  if (bias == nullptr) fail(fmt::format("'{}' is missing", bias_name(layout, l)));
  if (weights.shape.size() != 2) fail(fmt::format("'{}' is not a matrix", weights.name));
  const bool torch = layout == WeightLayout::torch;
  const Index outputs = weights.shape[torch ? 0 : 1];
  if (bias->shape != std::vector<Index>{outputs}) {
    fail(fmt::format("'{}' does not have the {} values that '{}' asks for", bias->name, outputs, weights.name));
  }
  const Eigen::Map<const FloatMatrix> values(weights.values.data(), weights.shape[0], weights.shape[1]);
  return {torch ? FloatMatrix(values) : FloatMatrix(values.transpose()),
          Eigen::Map<const Eigen::VectorXf>(bias->values.data(), outputs)};
}

Mlp network_from(const std::vector<Tensor>& tensors, WeightLayout layout, const std::string& file) {
  Mlp network;
  while (find(tensors, weight_name(layout, network.layers.size())) != nullptr) {
    network.layers.push_back(layer_from(tensors, layout, network.layers.size(), file));
  }
  if (tensors.size() != 2 * network.layers.size() || network.layers.size() < 2) {
    std::vector<std::string> names;
    for (const Tensor& tensor : tensors) names.push_back(tensor.name);
    throw Error(ErrorKind::data,
                fmt::format("{}: the arrays are not those of a network with hidden layers (0.weight, 0.bias, 2.weight, "
                            "… or Dense_0/kernel, Dense_0/bias, Dense_1/kernel, …): {}",
                            file, join(names)));
  }
  network.spec.hidden_widths.clear();
  for (std::size_t l = 0; l + 1 < network.layers.size(); ++l) {
    network.spec.hidden_widths.push_back(network.layers[l].outputs());
  }
  return network;
}

Activation activation_of(const internal::Metadata& metadata, const std::optional<Activation>& given) {
  const auto named = metadata.find("activation");
  if (named == metadata.end()) return given.value_or(Activation());
  if (given && given->name() == named->second) return *given;
  try {
    return Activation::parse(named->second);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, fmt::format("{}; give load_weights() the function if it is your own", error.what()));
  }
}

}  // namespace

std::string_view to_string(WeightLayout layout) { return layout == WeightLayout::torch ? "torch" : "keras"; }

WeightLayout parse_weight_layout(std::string_view name) {
  if (name == "torch") return WeightLayout::torch;
  if (name == "keras") return WeightLayout::keras;
  throw Error(ErrorKind::usage,
              fmt::format("layout '{}' is unknown{} (torch, keras)", name, suggestion(name, {"torch", "keras"})));
}

void save_weights(const std::filesystem::path& path, const Mlp& network, const WeightFileOptions& options) {
  const FileFormat format = format_of(path);
  network.validate();
  const std::vector<Tensor> tensors = tensors_of(network, options.layout);
  if (format == FileFormat::npz) {
    write_file(path, internal::npz_bytes(tensors));
    return;
  }
  internal::Metadata metadata = options.metadata;
  metadata["activation"] = network.spec.activation.name();
  metadata["crc32"] = checksum(tensors);
  if (options.layout == WeightLayout::torch) metadata["format"] = "pt";  // what PyTorch's own writers leave
  write_file(path, internal::safetensors_bytes(tensors, metadata));
}

LoadedWeights load_weights(const std::filesystem::path& path, const std::optional<Activation>& activation) {
  LoadedWeights loaded;
  std::vector<Tensor> tensors;
  if (format_of(path) == FileFormat::npz) {
    tensors = read_npz(path);
  } else {
    FileSource source(path);
    internal::SafetensorsFile file = internal::read_safetensors(source);
    tensors = std::move(file.tensors);
    loaded.metadata = std::move(file.metadata);
    const auto expected = loaded.metadata.find("crc32");
    if (expected != loaded.metadata.end() && expected->second != checksum(tensors)) {
      throw Error(ErrorKind::data, fmt::format("{}: damaged: the values do not match their checksum", path.string()));
    }
  }
  loaded.layout =
      find(tensors, weight_name(WeightLayout::keras, 0)) != nullptr ? WeightLayout::keras : WeightLayout::torch;
  loaded.network = network_from(tensors, loaded.layout, path.string());
  try {
    loaded.network.spec.activation = activation_of(loaded.metadata, activation);
    loaded.network.validate();
  } catch (const Error& error) {
    throw Error(ErrorKind::data, fmt::format("{}: {}", path.string(), error.what()));
  }
  return loaded;
}

}  // namespace priorfit

#include "priorfit/mlp.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"

namespace priorfit {

Index Mlp::parameters() const {
  Index count = 0;
  for (const DenseLayer& layer : layers) count += layer.weights.size() + layer.bias.size();
  return count;
}

void Mlp::validate() const {
  spec.validate();
  const auto fail = [](const std::string& message) { throw Error(ErrorKind::usage, message); };
  if (static_cast<Index>(layers.size()) != spec.depth() + 1) {
    fail(fmt::format("network has {} layers: {} hidden widths need {}", layers.size(), spec.depth(), spec.depth() + 1));
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const DenseLayer& layer = layers[l];
    if (layer.inputs() < 1 || layer.outputs() < 1) {
      fail(fmt::format("layer {} has shape {} × {}: both must be at least 1", l, layer.outputs(), layer.inputs()));
    }
    if (layer.bias.size() != layer.outputs()) {
      fail(fmt::format("layer {} has {} biases for {} units", l, layer.bias.size(), layer.outputs()));
    }
    if (l < spec.hidden_widths.size() && layer.outputs() != spec.hidden_widths[l]) {
      fail(fmt::format("layer {} has {} units: the specification says {}", l, layer.outputs(), spec.hidden_widths[l]));
    }
    if (l > 0 && layer.inputs() != layers[l - 1].outputs()) {
      fail(fmt::format("layer {} reads {} inputs: the layer before gives {}", l, layer.inputs(),
                       layers[l - 1].outputs()));
    }
  }
}

}  // namespace priorfit

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "priorfit/error.hpp"
#include "priorfit/mlp.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace {

// values[i] = the stream's i-th normal times `deviation`, whichever thread draws it.
void fill_scaled_normal(float* values, Index count, double deviation, const RandomStream& stream) {
  constexpr Index chunk = 4096;
  if (deviation == 0.0) {
    std::fill_n(values, count, 0.0F);
    return;
  }
#pragma omp parallel for schedule(static) if (count > 16 * chunk)
  for (Index first = 0; first < count; first += chunk) {
    std::array<double, chunk> normals;
    const Index size = std::min(chunk, count - first);
    stream.fill_normal(std::span(normals.data(), static_cast<std::size_t>(size)), static_cast<std::uint64_t>(first));
    for (Index i = 0; i < size; ++i) values[first + i] = static_cast<float>(deviation * normals[i]);
  }
}

std::vector<Index> layer_sizes(const NetworkSpec& spec, Index features, Index outputs) {
  spec.validate();
  if (features < 1) throw Error(ErrorKind::usage, fmt::format("features is {}: it must be at least 1", features));
  if (outputs < 1) throw Error(ErrorKind::usage, fmt::format("outputs is {}: it must be at least 1", outputs));
  std::vector<Index> sizes = {features};
  sizes.insert(sizes.end(), spec.hidden_widths.begin(), spec.hidden_widths.end());
  sizes.push_back(outputs);
  return sizes;
}

}  // namespace

std::string_view to_string(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::he: return "he";
    case InitialScheme::lecun: return "lecun";
    case InitialScheme::glorot: return "glorot";
  }
  return "";
}

InitialScheme parse_initial_scheme(std::string_view name) {
  for (const InitialScheme scheme : {InitialScheme::he, InitialScheme::lecun, InitialScheme::glorot}) {
    if (name == to_string(scheme)) return scheme;
  }
  throw Error(ErrorKind::usage, fmt::format("scheme '{}' is unknown{} (known: he, lecun, glorot)", name,
                                            suggestion(name, {"he", "lecun", "glorot"})));
}

std::vector<Prior> layer_priors(InitialScheme scheme, const NetworkSpec& spec, Index features, Index outputs) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  std::vector<Prior> priors;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const auto fan_in = static_cast<double>(sizes[l]);
    const auto fan_out = static_cast<double>(sizes[l + 1]);
    switch (scheme) {
      case InitialScheme::he: priors.push_back({2.0, 0.0}); break;
      case InitialScheme::lecun: priors.push_back({1.0, 0.0}); break;
      case InitialScheme::glorot: priors.push_back({2.0 * fan_in / (fan_in + fan_out), 0.0}); break;
    }
  }
  return priors;
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const std::vector<Prior>& priors,
               std::uint64_t seed) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  if (priors.size() != sizes.size() - 1) {
    throw Error(ErrorKind::usage,
                fmt::format("priors has {} entries: the network has {} layers", priors.size(), sizes.size() - 1));
  }
  for (const Prior& prior : priors) prior.validate();
  Mlp network{spec, std::vector<DenseLayer>(priors.size())};
  for (std::size_t l = 0; l < priors.size(); ++l) {
    DenseLayer& layer = network.layers[l];
    layer.weights.resize(sizes[l + 1], sizes[l]);
    layer.bias.resize(sizes[l + 1]);
    const double weight_deviation = std::sqrt(priors[l].weight_variance / static_cast<double>(sizes[l]));
    fill_scaled_normal(layer.weights.data(), layer.weights.size(), weight_deviation,
                       RandomStream(seed, RandomUse::layer_weights, l));
    fill_scaled_normal(layer.bias.data(), layer.bias.size(), std::sqrt(priors[l].bias_variance),
                       RandomStream(seed, RandomUse::layer_biases, l));
  }
  return network;
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const Prior& prior, std::uint64_t seed) {
  return initialise(spec, features, outputs, std::vector<Prior>(spec.hidden_widths.size() + 1, prior), seed);
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, InitialScheme scheme, std::uint64_t seed) {
  return initialise(spec, features, outputs, layer_priors(scheme, spec, features, outputs), seed);
}

}  // namespace priorfit

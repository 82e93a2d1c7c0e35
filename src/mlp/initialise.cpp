#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "priorfit/error.hpp"
#include "priorfit/mlp.hpp"
#include "support/random.hpp"

namespace priorfit {
namespace {

// values[i] = the stream's i-th draw times `deviation`, whichever thread draws it.
void fill_scaled(float* values, Index count, double deviation, Distribution distribution, const RandomStream& stream) {
  constexpr Index chunk = 4096;
  if (deviation == 0.0) {
    std::fill_n(values, count, 0.0F);
    return;
  }
#pragma omp parallel for schedule(static) if (count > 16 * chunk)
  for (Index first = 0; first < count; first += chunk) {
    std::array<double, chunk> draws;
    const Index size = std::min(chunk, count - first);
    if (distribution == Distribution::normal) {
      stream.fill_normal(std::span(draws.data(), static_cast<std::size_t>(size)), static_cast<std::uint64_t>(first));
    } else {
      for (Index i = 0; i < size; ++i) {  // of variance 1
        draws[static_cast<std::size_t>(i)] =
            std::numbers::sqrt3 * (2 * stream.uniform(static_cast<std::uint64_t>(first + i)) - 1);
      }
    }
    for (Index i = 0; i < size; ++i) values[first + i] = static_cast<float>(deviation * draws[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const std::vector<Prior>& priors,
               std::uint64_t seed, Distribution distribution) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  check_layers(priors, spec);
  Mlp network{spec, std::vector<DenseLayer>(priors.size())};
  for (std::size_t l = 0; l < priors.size(); ++l) {
    DenseLayer& layer = network.layers[l];
    layer.weights.resize(sizes[l + 1], sizes[l]);
    layer.bias.resize(sizes[l + 1]);
    const double weight_deviation = std::sqrt(priors[l].weight_variance / static_cast<double>(sizes[l]));
    fill_scaled(layer.weights.data(), layer.weights.size(), weight_deviation, distribution,
                RandomStream(seed, RandomUse::layer_weights, l));
    fill_scaled(layer.bias.data(), layer.bias.size(), std::sqrt(priors[l].bias_variance), distribution,
                RandomStream(seed, RandomUse::layer_biases, l));
  }
  return network;
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const Prior& prior, std::uint64_t seed) {
  prior.validate();
  return initialise(spec, features, outputs, layer_priors(prior, spec), seed);
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const Initialisation& start, std::uint64_t seed) {
  return initialise(spec, features, outputs, start.layers(spec, features, outputs), seed, start.distribution());
}

}  // namespace priorfit

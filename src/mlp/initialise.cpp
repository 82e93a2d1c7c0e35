#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernel/layers.hpp"
#include "priorfit/error.hpp"
#include "priorfit/mlp.hpp"
#include "support/random.hpp"

namespace priorfit {
using namespace internal;
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
    for (Index i = 0; i < size; ++i)
      values[first + i] = static_cast<float>(deviation * draws[static_cast<std::size_t>(i)]);
  }
}

// No draw is beyond 9 standard deviations: RandomStream's normals end at 8.7.
constexpr double smallest_deviation = std::numeric_limits<float>::min();
constexpr double largest_deviation = std::numeric_limits<float>::max() / 9.0;

void check_deviation(const char* name, double variance, const char* what, double deviation, std::size_t layer) {
  if (deviation >= smallest_deviation && deviation <= largest_deviation) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is {}: the {} of layer {} would have a standard deviation of {:.2g}, which single "
                          "precision does not hold ({:.2g} to {:.2g}); choose a {} value",
                          name, variance, what, layer + 1, deviation, smallest_deviation, largest_deviation,
                          deviation < 1 ? "larger" : "smaller"));
}

double weight_deviation(const LayerPrior& prior, Index fan_in) {
  return std::sqrt(prior.weight_variance / static_cast<double>(fan_in));
}

}  // namespace

void check_deviations(const NetworkSpec& spec, Index features, Index outputs, const std::vector<LayerPrior>& priors) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  check_layers(priors, spec);
  for (std::size_t l = 0; l < priors.size(); ++l) {
    const double weight = priors[l].weight_variance, bias = priors[l].bias_variance;
    check_deviation("weight_variance", weight, "weights", weight_deviation(priors[l], sizes[l]), l);
    if (bias > 0) check_deviation("bias_variance", bias, "biases", std::sqrt(bias), l);
  }
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const std::vector<LayerPrior>& priors,
               std::uint64_t seed, Distribution distribution) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  check_deviations(spec, features, outputs, priors);
  Mlp network{spec, std::vector<DenseLayer>(priors.size())};
  for (std::size_t l = 0; l < priors.size(); ++l) {
    DenseLayer& layer = network.layers[l];
    layer.weights.resize(sizes[l + 1], sizes[l]);
    layer.bias.resize(sizes[l + 1]);
    fill_scaled(layer.weights.data(), layer.weights.size(), weight_deviation(priors[l], sizes[l]), distribution,
                RandomStream(seed, RandomUse::layer_weights, l));
    fill_scaled(layer.bias.data(), layer.bias.size(), std::sqrt(priors[l].bias_variance), distribution,
                RandomStream(seed, RandomUse::layer_biases, l));
  }
  return network;
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const LayerPrior& prior, std::uint64_t seed) {
  prior.validate();
  return initialise(spec, features, outputs, layer_priors(prior, spec), seed);
}

Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const Initialisation& start,
               std::uint64_t seed) {
  return initialise(spec, features, outputs, start.layers, seed, start.distribution);
}

std::optional<SignalExplosion> find_explosion(const NetworkSpec& spec, const std::vector<LayerPrior>& priors,
                                              const MatrixView& inputs) {
  spec.validate();
  check_layers(priors, spec);
  const Vector mean = Vector::Constant(1, inputs.rowwise().squaredNorm().mean());
  const LayerVariances variances(spec, LayerPriors(priors), inputs.cols(), mean);
  for (Index l = 0; l <= spec.depth(); ++l) {
    const double variance = variances.at(l, 0);
    if (variance > std::numeric_limits<float>::max()) return SignalExplosion{l + 1, variance};
  }
  return std::nullopt;
}

}  // namespace priorfit

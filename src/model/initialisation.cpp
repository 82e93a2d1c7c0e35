#include "priorfit/initialisation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr std::array all_schemes = {InitialScheme::he, InitialScheme::lecun, InitialScheme::glorot,
                                    InitialScheme::keras, InitialScheme::pytorch};

/// What the framework draws from.
Distribution distribution_of(InitialScheme scheme) {
  const bool uniform = scheme == InitialScheme::keras || scheme == InitialScheme::pytorch;
  return uniform ? Distribution::uniform : Distribution::normal;
}

}  // namespace

std::string_view to_string(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::he: return "he";
    case InitialScheme::lecun: return "lecun";
    case InitialScheme::glorot: return "glorot";
    case InitialScheme::keras: return "keras";
    case InitialScheme::pytorch: return "pytorch";
  }
  return "";
}

InitialScheme parse_initial_scheme(std::string_view name) {
  const std::string word = usual_name(name, {{"kaiming", "he"},
                                             {"kaiming_normal", "he"},
                                             {"he_normal", "he"},
                                             {"xavier", "glorot"},
                                             {"xavier_normal", "glorot"},
                                             {"glorot_normal", "glorot"},
                                             {"xavier_uniform", "keras"},
                                             {"glorot_uniform", "keras"},
                                             {"lecun_normal", "lecun"},
                                             {"torch", "pytorch"}});
  std::vector<std::string> names;
  for (const InitialScheme scheme : all_schemes) {
    if (word == to_string(scheme)) return scheme;
    names.emplace_back(to_string(scheme));
  }
  throw Error(ErrorKind::usage,
              fmt::format("scheme '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
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

std::string_view to_string(Distribution distribution) {
  return distribution == Distribution::normal ? "normal" : "uniform";
}

Distribution parse_distribution(std::string_view name) {
  for (const Distribution distribution : {Distribution::normal, Distribution::uniform}) {
    if (name == to_string(distribution)) return distribution;
  }
  throw Error(ErrorKind::usage, fmt::format("distribution '{}' is unknown{} (normal, uniform)", name,
                                            suggestion(name, {"normal", "uniform"})));
}

Initialisation Initialisation::tied(const NetworkSpec& spec, const LayerPrior& pair) {
  return {.layers = layer_priors(pair, spec)};
}

Initialisation Initialisation::with_output(const NetworkSpec& spec, const LayerPrior& hidden,
                                           double output_weight_variance) {
  Initialisation start = tied(spec, hidden);
  start.layers.back() = {output_weight_variance, 0.0};
  return start;
}

Initialisation Initialisation::named(InitialScheme scheme, const NetworkSpec& spec, Index features, Index outputs) {
  const std::vector<Index> sizes = layer_sizes(spec, features, outputs);
  Initialisation start{.distribution = distribution_of(scheme), .scheme = scheme};
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const auto fan_in = static_cast<double>(sizes[l]);
    const auto fan_out = static_cast<double>(sizes[l + 1]);
    switch (scheme) {
      case InitialScheme::he: start.layers.push_back({2.0, 0.0}); break;
      case InitialScheme::lecun: start.layers.push_back({1.0, 0.0}); break;
      case InitialScheme::glorot:
      case InitialScheme::keras: start.layers.push_back({2.0 * fan_in / (fan_in + fan_out), 0.0}); break;
      case InitialScheme::pytorch: start.layers.push_back({1.0 / 3.0, 1.0 / (3.0 * fan_in)}); break;
    }
  }
  return start;
}

std::optional<LayerPrior> Initialisation::pair() const {
  const std::optional<LayerPrior> hidden = hidden_pair();
  return hidden && layers.back() == *hidden ? hidden : std::nullopt;
}

std::optional<LayerPrior> Initialisation::hidden_pair() const {
  if (layers.empty()) return std::nullopt;
  const auto differs = [&](const LayerPrior& layer) { return layer != layers.front(); };
  if (std::any_of(layers.begin(), layers.end() - 1, differs)) return std::nullopt;
  return layers.front();
}

std::optional<double> Initialisation::own_output() const {
  if (!hidden_pair() || pair() || layers.back().bias_variance != 0) return std::nullopt;
  return layers.back().weight_variance;
}

void Initialisation::validate(const NetworkSpec& spec) const { check_layers(layers, spec); }

std::string to_string(const Initialisation& start) {
  if (const auto pair = start.pair()) return to_string(*pair);
  if (start.scheme) return std::string(to_string(*start.scheme));
  if (const auto output = start.own_output()) {
    const LayerPrior& hidden = start.layers.front();
    return fmt::format("({:.5g}, {:.5g}, output {:.5g})", hidden.weight_variance, hidden.bias_variance, *output);
  }
  std::vector<std::string> texts;
  for (const LayerPrior& layer : start.layers) {
    texts.push_back(fmt::format("{:.5g}, {:.5g}", layer.weight_variance, layer.bias_variance));
  }
  return fmt::format("({})", fmt::join(texts, " | "));
}

std::optional<LayerPrior> equivalent_pair(const Initialisation& start, const NetworkSpec& spec) {
  if (const auto pair = start.pair()) return pair;
  double logarithms = 0.0;
  for (const LayerPrior& layer : start.layers) {
    if (layer.bias_variance != 0) return std::nullopt;
    logarithms += std::log(layer.weight_variance);
  }
  if (!spec.activation.is_homogeneous()) return std::nullopt;
  return LayerPrior{std::exp(logarithms / static_cast<double>(start.layers.size())), 0.0};
}

}  // namespace priorfit

// The initialisations that there are: priors, and the schemes known by name.
//
//     Initialisation start = LayerPrior{2.8, 0.0};                   // or InitialScheme::pytorch
//     std::vector<LayerPrior> layers = start.layers(spec, /*features=*/784, /*outputs=*/10);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/network.hpp"

namespace priorfit {

/// A prior's weight variance is σ_w² of a variance σ_w²/fan_in, so Glorot's, 2 fan_in/(fan_in + fan_out), differs from
/// layer to layer, and so does PyTorch's bias variance, 1/(3 fan_in).
enum class InitialScheme {
  he,       // σ_w² = 2, no bias
  lecun,    // σ_w² = 1, no bias
  glorot,   // normal, no bias
  keras,    // the default of its Dense layers: Glorot's variance, uniform, no bias
  pytorch,  // the default of its Linear layers: weights and biases uniform within ±1/√fan_in, so σ_w² = 1/3
};

std::string_view to_string(InitialScheme scheme);
InitialScheme parse_initial_scheme(std::string_view name);  // throws Error(usage) with the nearest match

/// One prior a layer, first layer first.
std::vector<LayerPrior> layer_priors(InitialScheme scheme, const NetworkSpec& spec, Index features, Index outputs);

enum class Distribution { normal, uniform };
Distribution distribution_of(InitialScheme scheme);

/// A way to draw initial parameters: a prior, or a scheme.
class Initialisation {
 public:
  Initialisation(const LayerPrior& prior = {}) : prior_(prior) {}
  Initialisation(InitialScheme scheme);  // he and lecun become their priors

  /// Empty for a scheme whose variances differ from layer to layer.
  std::optional<LayerPrior> prior() const { return scheme_ ? std::nullopt : std::optional(prior_); }
  std::optional<InitialScheme> scheme() const { return scheme_; }
  Distribution distribution() const { return scheme_ ? distribution_of(*scheme_) : Distribution::normal; }
  std::vector<LayerPrior> layers(const NetworkSpec& spec, Index features, Index outputs) const;
  std::string name() const;  // "(2, 0)" or "pytorch"

  bool operator==(const Initialisation&) const = default;

 private:
  LayerPrior prior_;
  std::optional<InitialScheme> scheme_;
};

/// Features, hidden widths, outputs; throws Error(usage) when one of them is below 1.
std::vector<Index> layer_sizes(const NetworkSpec& spec, Index features, Index outputs);

}  // namespace priorfit

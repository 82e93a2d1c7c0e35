// A way to draw a network's initial parameters: one prior per layer, and a distribution.
//
//     NetworkSpec spec = NetworkSpec::uniform(/*depth=*/2, /*width=*/256);
//     Initialisation pair = Initialisation::tied(spec, {.weight_variance = 2.8, .bias_variance = 0.0});
//     Initialisation usual = Initialisation::named(InitialScheme::pytorch, spec, /*features=*/784, /*outputs=*/10);
//     usual.layers[0].bias_variance;                        // 1/(3 · 784)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/network.hpp"

namespace priorfit {

/// What frameworks and papers do by default. A prior's weight variance is σ_w² of a variance σ_w²/fan_in, so Glorot's,
/// 2 fan_in/(fan_in + fan_out), differs from layer to layer, and so does PyTorch's bias variance, 1/(3 fan_in).
enum class InitialScheme {
  he,       // σ_w² = 2, no bias
  lecun,    // σ_w² = 1, no bias
  glorot,   // normal, no bias
  keras,    // the default of its Dense layers: Glorot's variance, uniform, no bias
  pytorch,  // the default of its Linear layers: weights and biases uniform within ±1/√fan_in, so σ_w² = 1/3
};

std::string_view to_string(InitialScheme scheme);
InitialScheme parse_initial_scheme(std::string_view name);  // throws Error(usage) with the nearest match

enum class Distribution { normal, uniform };
std::string_view to_string(Distribution distribution);
Distribution parse_distribution(std::string_view name);  // throws Error(usage) with the nearest match

struct Initialisation {
  std::vector<LayerPrior> layers = {};  // depth + 1, the first hidden layer's first
  Distribution distribution = Distribution::normal;
  std::optional<InitialScheme> scheme = {};  // whose values these are, where they have a name

  /// The same pair in every layer.
  static Initialisation tied(const NetworkSpec& spec, const LayerPrior& pair);
  /// The same pair in every hidden layer, another weight variance and no bias in the output layer.
  static Initialisation with_output(const NetworkSpec& spec, const LayerPrior& hidden, double output_weight_variance);
  static Initialisation named(InitialScheme scheme, const NetworkSpec& spec, Index features, Index outputs);

  /// The pair that every layer has; empty where layers differ.
  std::optional<LayerPrior> pair() const;
  /// The pair that every hidden layer has; empty where they differ.
  std::optional<LayerPrior> hidden_pair() const;
  /// The output layer's weight variance where with_output() could have made this and tied() could not.
  std::optional<double> own_output() const;

  /// Throws Error(usage) unless there is one valid prior for each layer of `spec`.
  void validate(const NetworkSpec& spec) const;

  /// Two ways to draw are the same when they draw the same, whatever they are called.
  bool operator==(const Initialisation& other) const {
    return layers == other.layers && distribution == other.distribution;
  }
};

/// "(2, 0)", "(2, 0, output 0.01)", "(2, 0 | 1.5, 0.1 | 1, 0)", or "pytorch" where no pair says it.
std::string to_string(const Initialisation& start);

/// The pair that gives the same covariance in every layer: without bias the covariance of a homogeneous activation
/// depends on the product of the layers' variances alone (M4), so that their geometric mean serves. Empty where there
/// is none.
std::optional<LayerPrior> equivalent_pair(const Initialisation& start, const NetworkSpec& spec);

/// Features, hidden widths, outputs; throws Error(usage) when one of them is below 1.
std::vector<Index> layer_sizes(const NetworkSpec& spec, Index features, Index outputs);

}  // namespace priorfit

// The fully connected network that both the covariance function and the finite network are made from.
//
//     NetworkSpec spec = NetworkSpec::uniform(/*depth=*/1, /*width=*/2000);
//     LayerPrior he{.weight_variance = 2.0, .bias_variance = 0.0};
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "priorfit/activation.hpp"
#include "priorfit/index.hpp"

namespace priorfit {

struct NetworkSpec {
  static constexpr Index largest_depth = 10'000;

  std::vector<Index> hidden_widths = {2000};  // one per hidden layer, each >= 1; at most largest_depth of them
  Activation activation = {};

  static NetworkSpec uniform(Index depth, Index width = 2000, Activation activation = {});

  /// Hidden layers; the only part of the shape that the infinite-width covariance depends on.
  Index depth() const { return static_cast<Index>(hidden_widths.size()); }

  /// "300-200", or "100 × 8" where more than three are equal.
  std::string widths_text() const;

  void validate() const;
};

/// What one layer's initial parameters are drawn from: weights ~ N(0, weight_variance / fan_in), biases ~
/// N(0, bias_variance).
struct LayerPrior {
  double weight_variance = 2.0;  // finite, > 0
  double bias_variance = 0.0;    // finite, >= 0

  bool operator==(const LayerPrior&) const = default;
  void validate() const;
};

/// "(2, 0)"
std::string to_string(const LayerPrior& prior);

/// The same prior for each of the depth() + 1 layers.
std::vector<LayerPrior> layer_priors(const LayerPrior& prior, const NetworkSpec& network);

/// Throws Error(usage) unless there is one valid prior for each layer.
void check_layers(const std::vector<LayerPrior>& layers, const NetworkSpec& network);

}  // namespace priorfit

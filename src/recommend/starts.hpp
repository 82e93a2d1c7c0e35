// The starts that "auto" compares, and what they are called.
#pragma once

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// The one in use first, then the defaults of frameworks, then critical hidden layers with a quiet output, then pairs
/// and pairs with an output of its own: simple before others. None twice, and but for the one in use none whose biases
/// or, unless it has a name, hidden weights lie outside the bounds of `options`.
void list_starts(Advice& advice, const NetworkSpec& network, Index features, Index outputs,
                 const RecommendOptions& options);

/// Adds a start under a name unless it is there; its place.
std::size_t add_start(Advice& advice, const Candidate& start, const std::string& name);

/// "PyTorch's default", "He", "(2, 0, output 0.01)"
std::string spoken_name(const Initialisation& start);

/// σ_w² at which a signal without bias keeps its size through the layers.
double critical_weight_variance(const Activation& activation);

}  // namespace priorfit::internal

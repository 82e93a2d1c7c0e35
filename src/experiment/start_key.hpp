// Initialisations as the text that identifies them in a database.
//
//     start_key(Initialisation::tied(network, {2.0, 0.0}))                  // "weight_variance=2 bias_variance=0"
//     start_key(Initialisation::with_output(network, {2.0, 0.0}, 0.01))     // "… output_weight_variance=0.01"
//     start_key(Initialisation::named(InitialScheme::pytorch, …))           // "scheme=pytorch"
//     start_key(Initialisation{.layers = {{2, 0}, {1, 0.5}, {1, 0}}})       // "layers=2:0,1:0.5,1:0"
#pragma once

#include <optional>
#include <string>

#include "priorfit/initialisation.hpp"

namespace priorfit::internal {

/// All that the variances of a scheme depend on.
struct NetworkShape {
  NetworkSpec network = {};
  Index features = 0;
  Index outputs = 0;
};

/// The scheme that a start is known by. None for He and LeCun: their pair says it all, and may be on the grid.
std::optional<InitialScheme> own_scheme(const Initialisation& start);

/// What tables call it: its scheme or its variances.
std::string start_name(const Initialisation& start);

/// Whether both have the same key.
bool same_start(const Initialisation& a, const Initialisation& b);

/// Exact: every number reads back to the same bits.
std::string start_key(const Initialisation& start);

/// Throws Error(data) for a text that start_key() does not write, or of another depth than `shape`.
Initialisation parse_start_key(const std::string& key, const NetworkShape& shape);

/// The pair of the hidden layers as a key spells it; empty for schemes and for layers that differ.
std::optional<LayerPrior> pair_in_key(const std::string& key);

}  // namespace priorfit::internal

// Everything that shapes a training's trajectory, by name: what tells a checkpoint of another run apart.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlp/input_rows.hpp"
#include "priorfit/training.hpp"

namespace priorfit::internal {

/// Two runs with the same identity give the same bytes.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

/// options: resolved.
RunIdentity run_identity(const Mlp& network, const InputRows<float>& train, const InputRows<float>& test,
                         const TrainOptions& options);

}  // namespace priorfit::internal

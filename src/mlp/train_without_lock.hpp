// Training for a caller who sees to it by himself that nobody else writes the checkpoint, or that it does no harm.
#pragma once

#include "priorfit/training.hpp"

namespace priorfit::internal {

/// train() without checkpoint.lock. Two processes may do the same run: each replaces the checkpoint whole, and from
/// either's the run ends with the same bytes.
TrainingSummary train_without_lock(Mlp& network, const PreparedData& data, TrainOptions options,
                                   const RunContext& context);

}  // namespace priorfit::internal

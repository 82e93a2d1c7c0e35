// The networks of an experiment: the one place that says how they are trained.
#pragma once

#include <filesystem>

#include "priorfit/experiment.hpp"
#include "priorfit/training.hpp"

namespace priorfit::internal {

/// Draws a network from `start` and trains it, from `checkpoint` where that is there. Throws Error(interrupted), the
/// checkpoint kept, when the context cancels.
TrainingSummary train_from(const Initialisation& start, std::uint64_t seed, const PreparedData& data,
                           const ExperimentSpecification& specification, const std::filesystem::path& checkpoint,
                           Index checkpoint_every, const RunContext& context);

}  // namespace priorfit::internal

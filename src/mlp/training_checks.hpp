// What training asks of its samples before it starts.
#pragma once

#include "priorfit/training.hpp"

namespace priorfit::internal {

/// Throws Error(usage) unless network, samples and options fit each other. options: resolved.
void check_training(const Mlp& network, const Samples& train, const Samples& test, const TrainOptions& resolved);

/// Weights and biases; a double, since it may be beyond what an integer holds.
double parameter_count(const NetworkSpec& network, Index features, Index outputs);

/// Throws Error(resource) with the bytes where weights, gradients and moments of `networks` such networks do not fit.
/// options: resolved.
void check_training_memory(const NetworkSpec& network, Index features, Index outputs, const TrainOptions& options,
                           Index networks = 1);

/// Throws Error(data) naming a class that has a single row among all that there are: a slip of the pen or a number
/// taken for a class more often than a class. A sample drawn from more rows may well hold one row of a class.
void check_single_rows(const PreparedData& data);
/// The same of all rows of a source, whose labels are places in `classes`; none: nothing is checked.
void check_single_rows(const std::string& name, const Samples& train, const Samples& test,
                       const std::vector<std::string>& classes);

/// `options` with what `data` knows: the scale of the targets and what was done to the samples.
TrainOptions with_preparation(TrainOptions options, const PreparedData& data);

}  // namespace priorfit::internal

#include "experiment/training.hpp"

#include "mlp/train_without_lock.hpp"

namespace priorfit::internal {

TrainingSummary train_from(const Initialisation& start, std::uint64_t seed, const PreparedData& data,
                           const ExperimentSpecification& specification, const std::filesystem::path& checkpoint,
                           Index checkpoint_every, const RunContext& context) {
  Mlp network = initialise(specification.network, data.features(), data.outputs(), start, seed);
  TrainOptions options = specification.training;
  options.seed = seed;
  options.checkpoint = checkpoint;
  options.checkpoint_every = checkpoint_every;
  // The lock is the claim in the database, which is given up by rule when its process gives no sign of life; a file's
  // lock would stay with a process that is stopped.
  return train_without_lock(network, data, options, context);
}

}  // namespace priorfit::internal

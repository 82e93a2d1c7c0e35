#include "experiment/training.hpp"

namespace priorfit::internal {

TrainingSummary train_from(const Initialisation& start, std::uint64_t seed, const PreparedData& data,
                           const ExperimentSpecification& specification, const std::filesystem::path& checkpoint,
                           Index checkpoint_every, const RunContext& context) {
  Mlp network = initialise(specification.network, data.features(), data.outputs(), start, seed);
  TrainOptions options = specification.training;
  options.seed = seed;
  options.checkpoint = checkpoint;
  options.checkpoint_every = checkpoint_every;
  return train(network, data, options, context);
}

}  // namespace priorfit::internal

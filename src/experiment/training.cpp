#include "experiment/training.hpp"

namespace priorfit::internal {

TrainOptions train_options(const ExperimentSpecification& specification) {
  TrainOptions options;
  options.epochs = specification.epochs;
  options.batch = specification.batch;
  options.learning_rate.base = specification.learning_rate;
  options.loss = Loss::squared;
  options.evaluate_every = specification.evaluate_every;
  return options;
}

TrainingSummary train_from(const Initialisation& start, std::uint64_t seed, const PreparedData& data,
                           const ExperimentSpecification& specification, const std::filesystem::path& checkpoint,
                           Index checkpoint_every, const RunContext& context) {
  Mlp network = initialise(specification.network, data.features(), data.outputs(), start, seed);
  TrainOptions options = train_options(specification);
  options.seed = seed;
  options.checkpoint = checkpoint;
  options.checkpoint_every = checkpoint_every;
  return train(network, data, options, context);
}

}  // namespace priorfit::internal

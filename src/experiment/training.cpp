#include "experiment/training.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"

namespace priorfit::internal {

TrainOptions train_options(const ExperimentSpecification& specification) {
  TrainOptions options;
  options.epochs = specification.epochs;
  options.batch = specification.batch;
  options.adam.learning_rate = specification.learning_rate;
  options.evaluate_every = specification.evaluate_every;
  return options;
}

TrainingSummary train_from(const Initialisation& start, std::uint64_t seed, const PreparedData& data,
                           const ExperimentSpecification& specification, const std::filesystem::path& checkpoint,
                           Index checkpoint_every, const RunContext& context) {
  Mlp network = initialise(specification.network, data.features(), data.outputs(), start, seed);
  TrainOptions options = train_options(specification);
  options.seed = seed;
  options.threads = context.threads;
  options.checkpoint = checkpoint;
  options.checkpoint_every = checkpoint_every;
  const auto tell = [&](const TrainingProgress& p) {
    const Progress now{fmt::format("epoch {} of {}", p.epoch, p.epochs), p.fraction};
    return !context.progress || context.progress(now);
  };
  TrainingSummary summary = train(network, data, options, tell);
  if (summary.cancelled) throw Error(ErrorKind::interrupted, "interrupted during training");
  return summary;
}

}  // namespace priorfit::internal

#include <fmt/format.h>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "mlp/training_checks.hpp"
#include "mlp/training_run.hpp"
#include "support/file_lock.hpp"

namespace priorfit {
using namespace internal;

TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const RunContext& context) {
  context.validate();
  const TrainOptions resolved = options.resolved(!train.labels.empty());
  internal::check_training(network, train, test, resolved);
  std::optional<internal::FileLock> lock;
  if (!resolved.checkpoint.empty()) {
    lock.emplace(resolved.checkpoint.string() + ".lock", fmt::format("checkpoint '{}'", resolved.checkpoint.string()));
  }
  const int useful = internal::useful_threads(context.threads, network, resolved.batch);
  const int threads = useful == 1 ? 1 : std::min(useful, threads_for_call(context.threads).threads);
  const ThreadScope scope(threads);
  const internal::InputRows<float> train_rows(train, resolved.sparse_below), test_rows(test, resolved.sparse_below);
  return internal::TrainingRun(network, {train_rows}, {test_rows}, resolved, context, threads).run();
}

TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options, const RunContext& context) {
  internal::check_single_rows(data);
  return train(network, data.train, data.test, internal::with_preparation(std::move(options), data), context);
}

}  // namespace priorfit

#include <fmt/format.h>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "mlp/train_without_lock.hpp"
#include "mlp/training_checks.hpp"
#include "mlp/training_run.hpp"
#include "support/file_lock.hpp"

namespace priorfit {
using namespace internal;

namespace internal {
namespace {

TrainingSummary run(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& resolved,
                    const RunContext& context) {
  const int useful = useful_threads(context.threads, network, resolved.batch);
  const int threads = useful == 1 ? 1 : std::min(useful, threads_for_call(context.threads).threads);
  const ThreadScope scope(threads);
  const InputRows<float> train_rows(train, resolved.sparse_below), test_rows(test, resolved.sparse_below);
  return TrainingRun(network, {train_rows}, {test_rows}, resolved, context, threads).run();
}

TrainOptions checked(const Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                     const RunContext& context) {
  context.validate();
  TrainOptions resolved = options.resolved(!train.labels.empty());
  check_training(network, train, test, resolved);
  return resolved;
}

}  // namespace

TrainingSummary train_without_lock(Mlp& network, const PreparedData& data, TrainOptions options,
                                   const RunContext& context) {
  check_single_rows(data);
  options = with_preparation(std::move(options), data);
  return run(network, data.train, data.test, checked(network, data.train, data.test, options, context), context);
}

}  // namespace internal

TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const RunContext& context) {
  const TrainOptions resolved = internal::checked(network, train, test, options, context);
  std::optional<internal::FileLock> lock;
  if (!resolved.checkpoint.empty()) {
    lock.emplace(resolved.checkpoint.string() + ".lock", fmt::format("checkpoint '{}'", resolved.checkpoint.string()));
  }
  return internal::run(network, train, test, resolved, context);
}

TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options, const RunContext& context) {
  internal::check_single_rows(data);
  return train(network, data.train, data.test, internal::with_preparation(std::move(options), data), context);
}

}  // namespace priorfit

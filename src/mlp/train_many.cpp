#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "mlp/training_checks.hpp"
#include "mlp/training_run.hpp"
#include "priorfit/error.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
using namespace internal;
namespace {

/// What several networks report, as one.
class SharedProgress {
 public:
  SharedProgress(const RunContext& context, std::size_t networks) : context_(context), fractions_(networks, 0.0) {}

  /// False: stop.
  bool update(std::size_t network, double fraction) {
    const std::lock_guard lock(mutex_);
    return set(network, std::min(fraction, unfinished));
  }
  template <typename Tell>
  void finish(std::size_t network, const Tell& tell) {
    const std::lock_guard lock(mutex_);
    tell();
    set(network, 1.0);
  }
  void throw_if_stopped() const {
    if (stopped_) throw Error(ErrorKind::interrupted, "interrupted while training networks");
  }

 private:
  static constexpr double unfinished = 0.999999;  // the last epoch is over, the measurements are not

  bool set(std::size_t network, double fraction) {
    fractions_[network] = fraction;
    const auto done = std::count(fractions_.begin(), fractions_.end(), 1.0);
    const auto count = static_cast<double>(fractions_.size());
    const double sum = std::accumulate(fractions_.begin(), fractions_.end(), 0.0);
    if (!stopped_ && context_.progress) {
      stopped_ = !context_.progress({fmt::format("{} of {} networks trained", done, fractions_.size()), sum / count});
    }
    return !stopped_;
  }

  const RunContext& context_;
  std::mutex mutex_;
  std::vector<double> fractions_;
  std::atomic<bool> stopped_ = false;
};

void check_rows(std::size_t task, const char* name, std::span<const Index> rows, Index count) {
  const auto wrong = std::find_if(rows.begin(), rows.end(), [&](Index row) { return row < 0 || row >= count; });
  if (wrong == rows.end()) return;
  throw Error(ErrorKind::usage, fmt::format("{} of task {} holds {}: it must be at least 0 and below {}, the number of "
                                            "training rows",
                                            name, task, *wrong, count));
}

void check_task(std::size_t i, const NetworkTask& task, const NetworkSpec& spec, const PreparedData& data) {
  try {
    task.start.validate(spec);
    check_deviations(spec, data.features(), data.outputs(), task.start.layers);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("start of task {}: {}", i, error.what()));
  }
  check_rows(i, "train_rows", task.train_rows, data.train.size());
  check_rows(i, "test_rows", task.test_rows, data.train.size());
}

}  // namespace

std::vector<TrainingSummary> train_many(const NetworkSpec& spec, const PreparedData& data,
                                        std::span<const NetworkTask> tasks, const TrainOptions& options,
                                        const RunContext& context, const NetworkDone& done) {
  context.validate();
  spec.validate();
  if (!options.checkpoint.empty()) {
    throw Error(ErrorKind::usage, fmt::format("checkpoint is '{}': it must be empty where several networks are trained",
                                              options.checkpoint.string()));
  }
  if (tasks.empty()) return {};
  internal::check_single_rows(data);
  const TrainOptions resolved = internal::with_preparation(options, data).resolved(!data.train.labels.empty());
  for (std::size_t i = 0; i < tasks.size(); ++i) check_task(i, tasks[i], spec, data);
  const int allowed = threads_for_call(context.threads).threads;
  const auto at_once = static_cast<Index>(std::min(tasks.size(), static_cast<std::size_t>(allowed)));
  internal::check_training_memory(spec, data.features(), data.outputs(), resolved, at_once);
  const auto drawn = [&](const NetworkTask& task) {
    return initialise(spec, data.features(), data.outputs(), task.start, task.seed);
  };
  const Mlp shape = drawn(tasks.front());
  internal::check_training(shape, data.train, data.test, resolved);

  const int useful = internal::useful_threads(allowed, shape, resolved.batch);
  const auto count = tasks.size(), team = static_cast<std::size_t>(allowed);
  // Those that would leave threads idle go last, one after another, each on as many threads as it can use.
  const std::size_t together = useful == 1 ? count : count / team * team;

  const internal::InputRows<float> train_rows(data.train, resolved.sparse_below),
      test_rows(data.test, resolved.sparse_below);
  std::vector<TrainingSummary> summaries(count);
  SharedProgress progress(context, count);
  const auto run = [&](std::size_t i, int threads) {
    progress.throw_if_stopped();
    const NetworkTask& task = tasks[i];
    TrainOptions own = resolved;
    own.seed = task.seed;
    RunContext inner;
    inner.progress = [&](const Progress& p) { return progress.update(i, p.fraction.value_or(0.0)); };
    Mlp network = drawn(task);
    const internal::ChosenRows train = {train_rows, task.train_rows};
    const internal::ChosenRows test =
        task.test_rows.empty() ? internal::ChosenRows{test_rows, {}} : internal::ChosenRows{train_rows, task.test_rows};
    summaries[i] = internal::TrainingRun(network, train, test, own, inner, threads).run();
    progress.finish(i, [&] {
      if (done) done(i, summaries[i], network);
    });
  };
  {
    const ThreadScope scope(allowed);
    LoopError error;
#pragma omp parallel for schedule(dynamic) num_threads(allowed)
    for (std::size_t i = 0; i < together; ++i) error.guard([&] { run(i, 1); });
    progress.throw_if_stopped();
    error.rethrow();
  }
  const ThreadScope scope(useful);
  for (std::size_t i = together; i < count; ++i) run(i, useful);
  return summaries;
}

}  // namespace priorfit

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "linalg/threads.hpp"
#include "mlp/measure.hpp"
#include "mlp/training_run.hpp"
#include "priorfit/error.hpp"
#include "support/file_lock.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
namespace {

void check(const Mlp& network, const Samples& train, const Samples& test, const TrainOptions& resolved) {
  network.validate();
  mlp::check_samples("train", train, network, *resolved.loss);
  if (test.size() > 0) mlp::check_samples("test", test, network, *resolved.loss);
  if (resolved.target_scale.size() != 0 && resolved.target_scale.size() != train.targets.cols()) {
    throw Error(ErrorKind::usage, fmt::format("target_scale has {} entries: the network has {} outputs",
                                              resolved.target_scale.size(), train.targets.cols()));
  }
}

/// A class with a single row, among all that there are, is a slip of the pen or a number taken for a class more often
/// than a class. A sample drawn from more rows may well hold one row of a class.
void check_single_rows(const PreparedData& data) {
  if (data.task != Task::classification || data.train.size() < data.rows) return;
  std::vector<Index> counts(static_cast<std::size_t>(data.outputs()), 0);
  for (const Samples* part : {&data.train, &data.test}) {
    for (const int label : part->labels) ++counts[static_cast<std::size_t>(label)];
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] != 1) continue;
    throw Error(
        ErrorKind::data,
        fmt::format("{}: class '{}' appears once, too rarely to be learnt and tested: correct its name, give it "
                    "more rows or drop it; if the target is a number, read it as one (task regression)",
                    data.name, c < data.output_names.size() ? data.output_names[c] : std::to_string(c)));
  }
}

TrainOptions with_preparation(TrainOptions options, const PreparedData& data) {
  options.target_scale = data.target_scale;
  options.preparation = to_string(data.preprocess);
  return options;
}

/// What several networks report, as one.
class SharedProgress {
 public:
  SharedProgress(const RunContext& context, std::size_t networks) : context_(context), fractions_(networks, 0.0) {}

  bool update(std::size_t network, double fraction) {
    const std::lock_guard lock(mutex_);
    fractions_[network] = fraction;
    const auto done = std::count(fractions_.begin(), fractions_.end(), 1.0);
    double sum = 0.0;
    for (const double value : fractions_) sum += value;
    const auto count = static_cast<double>(fractions_.size());
    if (!stopped_ && context_.progress) {
      stopped_ = !context_.progress({fmt::format("{} of {} networks trained", done, fractions_.size()), sum / count});
    }
    return !stopped_;
  }
  void throw_if_stopped() const {
    if (stopped_) throw Error(ErrorKind::interrupted, "interrupted while training networks");
  }

 private:
  const RunContext& context_;
  std::mutex mutex_;
  std::vector<double> fractions_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const RunContext& context) {
  context.validate();
  const TrainOptions resolved = options.resolved(!train.labels.empty());
  check(network, train, test, resolved);
  std::optional<internal::FileLock> lock;
  if (!resolved.checkpoint.empty()) {
    lock.emplace(resolved.checkpoint.string() + ".lock", fmt::format("checkpoint '{}'", resolved.checkpoint.string()));
  }
  const int threads = mlp::useful_threads(context.threads, network, resolved.batch);
  const ThreadScope scope(threads);
  const mlp::InputRows<float> train_rows(train, resolved.sparse_below), test_rows(test, resolved.sparse_below);
  return mlp::TrainingRun(network, train_rows, test_rows, resolved, context, threads).run();
}

TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options, const RunContext& context) {
  check_single_rows(data);
  return train(network, data.train, data.test, with_preparation(std::move(options), data), context);
}

std::vector<TrainingSummary> train_many(std::vector<Mlp>& networks, const PreparedData& data,
                                        const std::vector<std::uint64_t>& seeds, const TrainOptions& options,
                                        const RunContext& context) {
  context.validate();
  if (seeds.size() != networks.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("seeds has {} entries: there are {} networks", seeds.size(), networks.size()));
  }
  if (!options.checkpoint.empty()) {
    throw Error(ErrorKind::usage, fmt::format("checkpoint is '{}': it must be empty where several networks are trained",
                                              options.checkpoint.string()));
  }
  if (networks.empty()) return {};
  check_single_rows(data);
  const TrainOptions resolved = with_preparation(options, data).resolved(!data.train.labels.empty());
  for (const Mlp& network : networks) check(network, data.train, data.test, resolved);

  const int allowed = context.threads > 0 ? context.threads : omp_get_max_threads();
  const int useful = mlp::useful_threads(allowed, networks.front(), resolved.batch);
  const auto count = networks.size(), team = static_cast<std::size_t>(allowed);
  // Those that would leave threads idle go last, one after another, each on as many threads as it can use.
  const std::size_t together = useful == 1 ? count : count / team * team;

  const mlp::InputRows<float> train_rows(data.train, resolved.sparse_below),
      test_rows(data.test, resolved.sparse_below);
  std::vector<TrainingSummary> summaries(count);
  SharedProgress progress(context, count);
  const auto run = [&](std::size_t i, int threads) {
    progress.throw_if_stopped();
    TrainOptions own = resolved;
    own.seed = seeds[i];
    RunContext inner;
    inner.progress = [&](const Progress& p) { return progress.update(i, p.fraction.value_or(0.0)); };
    summaries[i] = mlp::TrainingRun(networks[i], train_rows, test_rows, own, inner, threads).run();
    progress.update(i, 1.0);
  };
  {
    const ThreadScope scope(allowed);
    LoopError error;
#pragma omp parallel for schedule(dynamic) num_threads(allowed)
    for (std::size_t i = 0; i < together; ++i) error.guard([&] { run(i, 1); });
    error.rethrow();
  }
  const ThreadScope scope(useful);
  for (std::size_t i = together; i < count; ++i) run(i, useful);
  return summaries;
}

}  // namespace priorfit

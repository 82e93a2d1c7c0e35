#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "linalg/threads.hpp"
#include "mlp/checkpoint.hpp"
#include "mlp/measure.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/random.hpp"

namespace priorfit {
namespace mlp {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto progress_interval = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::uint32_t parameter_checksum(const Mlp& network) {
  uLong checksum = 0;
  for (const DenseLayer& layer : network.layers) {
    const auto add = [&](const float* values, Index count) {
      checksum =
          crc32_z(checksum, reinterpret_cast<const Bytef*>(values), static_cast<std::size_t>(count) * sizeof(float));
    };
    add(layer.weights.data(), layer.weights.size());
    add(layer.bias.data(), layer.bias.size());
  }
  return static_cast<std::uint32_t>(checksum);
}

std::string shape_text(const Mlp& network) {
  std::string text = fmt::format("{}", network.features());
  for (const DenseLayer& layer : network.layers) text += fmt::format("-{}", layer.outputs());
  return text;
}

// Threads and the number of epochs are not part of it: neither changes the epochs already done.
RunIdentity run_identity(const Mlp& network, const InputRows<float>& rows, const TrainOptions& options) {
  return {{"network", shape_text(network)},
          {"activation", network.spec.activation.name()},
          {"initial parameters", fmt::format("{:08x}", parameter_checksum(network))},
          {"training samples", fmt::format("{}", rows.size())},
          {"training data", fmt::format("{:08x}", rows.checksum())},
          {"batch", fmt::format("{}", options.batch)},
          {"seed", fmt::format("{}", options.seed)},
          {"learning_rate", fmt::format("{}", options.adam.learning_rate)},
          {"beta1", fmt::format("{}", options.adam.beta1)},
          {"beta2", fmt::format("{}", options.adam.beta2)},
          {"epsilon", fmt::format("{}", options.adam.epsilon)},
          {"sparse", rows.sparse() ? "yes" : "no"}};
}

class TrainingRun {
 public:
  TrainingRun(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
              const TrainingCallback& progress)
      : network_(network),
        options_(options),
        progress_(progress),
        train_(train, options.sparse_below),
        test_(test, options.sparse_below),
        identity_(run_identity(network, train_, options)),
        engine_(network, {.max_rows = std::max(options.batch, measure_block),
                          .training = true,
                          .sparse_inputs = train_.sparse(),
                          .threads = useful_threads(options.threads, network, options.batch)}) {}

  TrainingSummary run() {
    resume();
    while (position_.epoch < options_.epochs && run_epoch()) {
    }
    return finish();
  }

 private:
  Index batches() const { return (train_.size() + options_.batch - 1) / options_.batch; }

  void resume() {
    if (options_.checkpoint.empty()) return;
    remove_unfinished(options_.checkpoint);
    if (!std::filesystem::exists(options_.checkpoint)) return;
    position_ = load_checkpoint(options_.checkpoint, identity_, engine_.layers());
    engine_.set_steps(position_.steps);
    if (position_.epoch > options_.epochs) {
      throw Error(ErrorKind::usage, fmt::format("checkpoint '{}' already holds {} epochs: epochs is {}",
                                                options_.checkpoint.string(), position_.epoch, options_.epochs));
    }
    summary_.resumed_epochs = position_.epoch;
    saved_ = true;
  }

  // False when the run is to end here.
  bool run_epoch() {
    const RandomStream stream(options_.seed, RandomUse::shuffle, static_cast<std::uint64_t>(position_.epoch));
    const std::vector<std::int64_t> order = draw_without_replacement(train_.size(), train_.size(), stream);
    for (; position_.batch < batches(); ++position_.batch) {
      if (Clock::now() - reported_ >= progress_interval && !report(nullptr)) return false;
      const auto first = static_cast<std::size_t>(position_.batch * options_.batch);
      run_batch(
          std::span(order).subspan(first, std::min(static_cast<std::size_t>(options_.batch), order.size() - first)));
      if (!std::isfinite(position_.squared_error)) {
        summary_.diverged = true;
        return false;
      }
    }
    return end_epoch();
  }

  void run_batch(std::span<const std::int64_t> rows) {
    const auto start = Clock::now();
    train_.gather(rows, /*with_columns=*/true, batch_);
    const BatchLoss loss = engine_.step(batch_, train_.active_features(), options_.adam);
    position_.squared_error += loss.squared_error;
    position_.correct += loss.correct;
    saved_ = false;
    ++batches_run_;
    batch_seconds_ += seconds_since(start);
  }

  bool end_epoch() {
    const Index samples = train_.size();
    EpochRecord record{
        .epoch = position_.epoch + 1, .train_loss = mean_loss(samples), .train_accuracy = {}, .test = {}};
    record.train_accuracy = share_correct(samples);
    const bool last = record.epoch == options_.epochs;
    const bool due = options_.evaluate_every > 0 && record.epoch % options_.evaluate_every == 0;
    if (test_.size() > 0 && (last || due)) record.test = measure(engine_, test_, options_.target_scale);
    if (record.test && !std::isfinite(record.test->loss)) {  // the epoch's last step was too large for float
      summary_.diverged = true;
      return false;
    }
    position_ = {record.epoch, 0, 0.0, 0, engine_.steps(), std::move(position_.history)};
    position_.history.push_back(record);
    if (last || record.epoch % options_.checkpoint_every == 0) save();
    return report(&position_.history.back());
  }

  double mean_loss(Index samples) const {
    return position_.squared_error / static_cast<double>(std::max<Index>(1, samples) * train_.outputs());
  }

  std::optional<double> share_correct(Index samples) const {
    if (!train_.has_labels()) return std::nullopt;
    return static_cast<double>(position_.correct) / static_cast<double>(std::max<Index>(1, samples));
  }

  bool report(const EpochRecord* finished) {
    reported_ = Clock::now();
    if (!progress_) return true;
    const double epochs_done =
        static_cast<double>(position_.epoch) + static_cast<double>(position_.batch) / static_cast<double>(batches());
    const Index samples = std::min(position_.batch * options_.batch, train_.size());
    const TrainingProgress progress{.epoch = finished ? finished->epoch : position_.epoch + 1,
                                    .epochs = options_.epochs,
                                    .fraction = epochs_done / static_cast<double>(options_.epochs),
                                    .train_loss = finished ? finished->train_loss : mean_loss(samples),
                                    .train_accuracy = finished ? finished->train_accuracy : share_correct(samples),
                                    .finished = finished};
    const bool go_on = progress_(progress);
    // A wish to stop after the last epoch comes too late to have stopped anything.
    summary_.cancelled = !go_on && position_.epoch < options_.epochs;
    return go_on;
  }

  void save() {
    if (options_.checkpoint.empty() || saved_) return;
    position_.steps = engine_.steps();
    save_checkpoint(options_.checkpoint, identity_, position_, engine_.layers());
    saved_ = true;
  }

  TrainingSummary finish() {
    if (summary_.cancelled) save();
    engine_.store(network_);
    summary_.train = measure(engine_, train_, options_.target_scale);
    if (!std::isfinite(summary_.train.loss)) summary_.diverged = !summary_.cancelled;  // by the very last step
    if (test_.size() > 0) {
      const bool known = !summary_.cancelled && !position_.history.empty() && position_.history.back().test;
      summary_.test =
          known && !summary_.diverged ? position_.history.back().test : measure(engine_, test_, options_.target_scale);
    }
    summary_.seconds = seconds_since(start_);
    if (batches_run_ > 0) {
      summary_.seconds_per_epoch = batch_seconds_ * static_cast<double>(batches()) / static_cast<double>(batches_run_);
    }
    summary_.sparse = train_.sparse();
    summary_.input_density = train_.density();
    summary_.history = std::move(position_.history);
    return std::move(summary_);
  }

  Mlp& network_;
  const TrainOptions& options_;
  const TrainingCallback& progress_;
  InputRows<float> train_, test_;
  RunIdentity identity_;
  Engine<float> engine_;
  Batch<float> batch_;
  RunPosition position_;
  TrainingSummary summary_;
  bool saved_ = false;  // whether the checkpoint holds the present position
  Index batches_run_ = 0;
  double batch_seconds_ = 0.0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_;
};

}  // namespace
}  // namespace mlp

TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const TrainingCallback& progress) {
  options.validate();
  network.validate();
  mlp::check_samples("train", train, network);
  if (test.size() > 0) mlp::check_samples("test", test, network);
  if (options.target_scale.size() != 0 && options.target_scale.size() != network.outputs()) {
    throw Error(ErrorKind::usage, fmt::format("target_scale has {} entries: the network has {} outputs",
                                              options.target_scale.size(), network.outputs()));
  }
  const ThreadScope scope(mlp::useful_threads(options.threads, network, options.batch));
  return mlp::TrainingRun(network, train, test, options, progress).run();
}

TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options, const TrainingCallback& progress) {
  options.target_scale = data.target_scale;
  return train(network, data.train, data.test, options, progress);
}

}  // namespace priorfit

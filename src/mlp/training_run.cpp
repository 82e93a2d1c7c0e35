#include "mlp/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mlp/measure.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/random.hpp"

namespace priorfit::internal {
namespace {

constexpr auto progress_interval = std::chrono::milliseconds(100);

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TrainingRun::TrainingRun(Mlp& network, const ChosenRows& train, const ChosenRows& test, const TrainOptions& options,
                         const RunContext& context, int threads)
    : network_(network),
      train_(train.data),
      test_(test.data),
      options_(options),
      context_(context),
      rows_(hold_out(train.list(), train.data.labels(), options.validation_fraction, options.seed)),
      test_rows_(test.list()),
      engine_(network, {.max_rows = std::max(std::min(options.batch, trained_rows()), measure_block),
                        .training = true,
                        .sparse_inputs = train.data.sparse(),
                        .threads = threads,
                        .loss = {*options.loss, options.label_smoothing},
                        .optimizer = options.optimizer}) {
  if (!options.checkpoint.empty()) identity_ = run_identity(network, train_, test_, options);
  if (options.optimizer.weight_decay > 0 && train_.sparse()) {
    every_feature_.resize(static_cast<std::size_t>(train_.features()));
    std::iota(every_feature_.begin(), every_feature_.end(), 0U);
  }
}

TrainingSummary TrainingRun::run() {
  resume();
  tell_kept();
  while (position_.epoch < options_.epochs && !out_of_patience(position_.epoch) && run_epoch()) {
  }
  return finish();
}

void TrainingRun::resume() {
  if (options_.checkpoint.empty()) return;
  remove_unfinished(options_.checkpoint);
  if (!std::filesystem::exists(options_.checkpoint)) return;
  position_ = load_checkpoint(options_.checkpoint, identity_, engine_.layers(), best_);
  engine_.set_steps(position_.steps);
  if (position_.epoch > options_.epochs) {
    throw Error(ErrorKind::usage, fmt::format("checkpoint '{}' already holds {} epochs: epochs is {}",
                                              options_.checkpoint.string(), position_.epoch, options_.epochs));
  }
  summary_.resumed_epochs = position_.epoch;
  saved_ = true;
}

std::vector<std::int64_t> TrainingRun::shuffled_rows() const {
  const RandomStream stream(options_.seed, RandomUse::shuffle, static_cast<std::uint64_t>(position_.epoch));
  std::vector<std::int64_t> order = draw_without_replacement(trained_rows(), trained_rows(), stream);
  for (std::int64_t& row : order) row = rows_.training[static_cast<std::size_t>(row)];
  return order;
}

bool TrainingRun::run_epoch() {
  const auto start = Clock::now();
  const std::vector<std::int64_t> order = shuffled_rows();
  if (position_.batch == 0) batch_seconds_ += seconds_since(start);
  for (; position_.batch < batches(); ++position_.batch) {
    if (Clock::now() - reported_ >= progress_interval) report(nullptr);
    const auto first = static_cast<std::size_t>(position_.batch * options_.batch);
    run_batch(
        std::span(order).subspan(first, std::min(static_cast<std::size_t>(options_.batch), order.size() - first)));
    if (!std::isfinite(position_.loss_sum)) return diverge();
  }
  return end_epoch();
}

void TrainingRun::run_batch(std::span<const std::int64_t> rows) {
  const auto start = Clock::now();
  train_.gather(rows, /*with_columns=*/true, batch_);
  const double rate = options_.learning_rate.at(engine_.steps() + 1, batches(), options_.epochs);
  const BatchLoss loss =
      engine_.step(batch_, every_feature_.empty() ? train_.active_features() : std::span(every_feature_), rate);
  position_.loss_sum += loss.sum;
  position_.correct += loss.correct;
  saved_ = false;
  ++batches_run_;
  batch_seconds_ += seconds_since(start);
}

bool TrainingRun::end_epoch() {
  note_vanished();
  EpochRecord record{.epoch = position_.epoch + 1,
                     .train_loss = mean_loss(trained_rows()),
                     .train_accuracy = share_correct(trained_rows())};
  if (!rows_.validation.empty()) {
    record.validation = measure(engine_, train_, rows_.validation, options_.target_scale);
    if (!std::isfinite(record.validation->loss)) return diverge();
    keep_if_best(record);
  }
  const bool last = record.epoch == options_.epochs || out_of_patience(record.epoch);
  const bool due = options_.evaluate_every > 0 && record.epoch % options_.evaluate_every == 0;
  if (!test_rows_.empty() && (last || due)) {
    record.test = measure(engine_, test_, test_rows_, options_.target_scale);
    if (!std::isfinite(record.test->loss)) return diverge();  // the epoch's last step was too large for float
    test_accuracy_ = record.test->accuracy;
  }
  position_.epoch = record.epoch;
  position_.batch = 0;
  position_.loss_sum = 0.0;
  position_.correct = 0;
  position_.history.push_back(record);
  if (last || record.epoch % options_.checkpoint_every == 0) save();
  report(&position_.history.back());
  return true;
}

void TrainingRun::note_vanished() {
  if (position_.vanished) return;
  if (const Index layer = engine_.vanished_layer(); layer > 0) {
    position_.vanished = LayerFault{layer, position_.epoch + 1};
  }
}

bool TrainingRun::diverge() {
  summary_.diverged = true;
  if (const Index layer = engine_.exploded_layer(); layer > 0) {
    summary_.exploded = LayerFault{layer, std::min(position_.epoch + 1, options_.epochs)};
  }
  return false;
}

bool TrainingRun::out_of_patience(Index epoch) const {
  return position_.best_epoch && options_.patience > 0 && epoch - *position_.best_epoch >= options_.patience;
}

void TrainingRun::keep_if_best(const EpochRecord& record) {
  if (position_.best_epoch) {
    const EpochRecord& best = position_.history[static_cast<std::size_t>(*position_.best_epoch) - 1];
    if (record.validation->loss >= best.validation->loss) return;
  }
  position_.best_epoch = record.epoch;
  best_ = parameter_values(engine_.layers());
}

void TrainingRun::save() {
  if (options_.checkpoint.empty() || saved_) return;
  position_.steps = engine_.steps();
  save_checkpoint(options_.checkpoint, identity_, position_, engine_.layers(), best_);
  saved_ = true;
  tell_kept();
}

void TrainingRun::tell_kept() const {
  if (options_.checkpoint.empty() || !options_.kept) return;
  TrainingSummary so_far;
  so_far.history = position_.history;
  so_far.best_epoch = position_.best_epoch;
  so_far.vanished = position_.vanished;
  options_.kept(so_far);
}

double TrainingRun::mean_loss(Index samples) const {
  return position_.loss_sum / static_cast<double>(std::max<Index>(1, samples));
}

std::optional<double> TrainingRun::share_correct(Index samples) const {
  if (!train_.has_labels()) return std::nullopt;
  return static_cast<double>(position_.correct) / static_cast<double>(std::max<Index>(1, samples));
}

std::string TrainingRun::progress_text(const EpochRecord* finished) const {
  const Index samples = std::min(position_.batch * options_.batch, trained_rows());
  const auto accuracy = finished ? finished->train_accuracy : share_correct(samples);
  std::string text = fmt::format("epoch {} of {}, loss {:.4g}", finished ? finished->epoch : position_.epoch + 1,
                                 options_.epochs, finished ? finished->train_loss : mean_loss(samples));
  if (accuracy) text += fmt::format(", train {:.2f} %", 100 * *accuracy);
  if (test_accuracy_) text += fmt::format(", test {:.2f} %", 100 * *test_accuracy_);
  return text;
}

void TrainingRun::report(const EpochRecord* finished) {
  reported_ = Clock::now();
  if (!context_.progress) return;
  const double epochs_done =
      static_cast<double>(position_.epoch) + static_cast<double>(position_.batch) / static_cast<double>(batches());
  if (context_.progress({progress_text(finished), epochs_done / static_cast<double>(options_.epochs)})) return;
  // A wish to stop after the last epoch comes too late to have stopped anything.
  if (position_.epoch == options_.epochs || out_of_patience(position_.epoch)) return;
  save();
  engine_.store(network_);
  throw Error(ErrorKind::interrupted,
              fmt::format("interrupted after {} epoch{}", position_.epoch, position_.epoch == 1 ? "" : "s"));
}

void TrainingRun::restore_best() {
  for (std::size_t l = 0; l < engine_.layers().size(); ++l) {
    engine_.layers()[l].weights.values = best_[2 * l];
    engine_.layers()[l].bias.values = best_[2 * l + 1];
  }
}

TrainingSummary TrainingRun::finish() {
  if (position_.best_epoch && !summary_.diverged) restore_best();
  engine_.store(network_);
  summary_.train = measure(engine_, train_, rows_.training, options_.target_scale);
  if (!std::isfinite(summary_.train.loss)) diverge();  // by the very last step
  if (!rows_.validation.empty()) {
    summary_.validation = measure(engine_, train_, rows_.validation, options_.target_scale);
  }
  if (!test_rows_.empty()) {
    const bool known = !position_.history.empty() && position_.history.back().test && rows_.validation.empty();
    summary_.test = known && !summary_.diverged ? position_.history.back().test
                                                : measure(engine_, test_, test_rows_, options_.target_scale);
  }
  summary_.stopped_early = position_.epoch < options_.epochs && out_of_patience(position_.epoch);
  summary_.best_epoch = position_.best_epoch;
  summary_.vanished = position_.vanished;
  summary_.seconds = seconds_since(start_);
  if (batches_run_ > 0) {
    summary_.seconds_per_epoch = batch_seconds_ * static_cast<double>(batches()) / static_cast<double>(batches_run_);
  }
  summary_.sparse = train_.sparse();
  summary_.input_density = train_.density();
  summary_.history = std::move(position_.history);
  return std::move(summary_);
}

}  // namespace priorfit::internal

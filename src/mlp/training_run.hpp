// One training from its start, or its checkpoint, to its end.
#pragma once

#include <chrono>

#include "mlp/checkpoint.hpp"
#include "mlp/engine.hpp"
#include "mlp/held_out.hpp"
#include "priorfit/training.hpp"

namespace priorfit::internal {

/// Some of the rows of a data set, or all.
struct ChosenRows {
  const InputRows<float>& data;
  std::span<const std::int64_t> rows = {};  // in their order; empty: all

  std::vector<std::int64_t> list() const {
    return rows.empty() ? all_rows(data.size()) : std::vector<std::int64_t>(rows.begin(), rows.end());
  }
};

class TrainingRun {
 public:
  /// options: resolved. Options, context, network and data outlive the run. With a checkpoint all
  /// rows are trained on. `threads`: those of the engine.
  TrainingRun(Mlp& network, const ChosenRows& train, const ChosenRows& test, const TrainOptions& options,
              const RunContext& context, int threads);

  /// Throws Error(interrupted) when the context says stop, with the checkpoint written.
  TrainingSummary run();

 private:
  using Clock = std::chrono::steady_clock;

  Index trained_rows() const { return static_cast<Index>(rows_.training.size()); }
  Index batches() const { return (trained_rows() + options_.batch - 1) / options_.batch; }
  std::vector<std::int64_t> shuffled_rows() const;
  void resume();
  bool run_epoch();  // false when the loss stopped being finite
  void run_batch(std::span<const std::int64_t> rows);
  bool end_epoch();  // likewise
  void note_vanished();
  bool diverge();  // notes where; false
  bool out_of_patience(Index epoch) const;
  void keep_if_best(const EpochRecord& record);
  void save();
  void tell_kept() const;
  void report(const EpochRecord* finished);
  std::string progress_text(const EpochRecord* finished) const;
  double mean_loss(Index samples) const;
  std::optional<double> share_correct(Index samples) const;
  void restore_best();
  TrainingSummary finish();

  Mlp& network_;
  const InputRows<float>&train_, &test_;
  const TrainOptions& options_;
  const RunContext& context_;
  RunIdentity identity_;
  HeldOut rows_;
  std::vector<std::int64_t> test_rows_;
  std::vector<std::uint32_t> every_feature_;  // with weight decay, which moves also weights that never have a gradient
  Engine<float> engine_;
  Batch<float> batch_;
  RunPosition position_;
  BestParameters best_;
  TrainingSummary summary_;
  std::optional<double> test_accuracy_;  // the last measured
  bool saved_ = false;                   // whether the checkpoint holds the present position
  Index batches_run_ = 0;
  double batch_seconds_ = 0.0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_;
};

}  // namespace priorfit::internal

// Training finite networks: loss, optimiser, schedule, validation, checkpoints; one network or many side by side.
//
//     PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = 4000, .seed = 1});
//     Mlp network = initialise(NetworkSpec::uniform(1, 2000), data.features(), data.outputs(), LayerPrior{2.8, 0.0},
//     1); TrainingSummary summary = train(network, data, {.epochs = 50, .optimizer = {.kind = OptimizerKind::adamw}});
//     // summary.test->accuracy; summary.history[e].test->accuracy; network now holds the trained weights
//
// The same seed gives the same bytes for any number of threads.
#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "priorfit/context.hpp"
#include "priorfit/mlp.hpp"

namespace priorfit {

enum class OptimizerKind {
  adam,   // Kingma and Ba, with bias correction; weight decay is added to the gradient
  adamw,  // Adam whose weight decay shrinks the weights themselves (Loshchilov and Hutter)
  sgd,    // gradient descent, with or without momentum; weight decay is added to the gradient
};

std::string_view to_string(OptimizerKind kind);
OptimizerKind parse_optimizer_kind(std::string_view name);  // throws Error(usage) with the nearest match

/// All in the arrangement that PyTorch uses; weight decay acts on weights and biases alike, as there.
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  double weight_decay = 0.0;  // finite, >= 0
  double beta1 = 0.9;         // in [0, 1); this and the next two: adam and adamw
  double beta2 = 0.999;       // in [0, 1)
  double epsilon = 1e-8;      // finite, > 0
  double momentum = 0.0;      // in [0, 1), as is `nesterov` for sgd only
  bool nesterov = false;      // needs momentum > 0

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;
};

struct TrainingSummary;

enum class Decay { constant, cosine };

std::string_view to_string(Decay decay);
Decay parse_decay(std::string_view name);  // throws Error(usage) with the nearest match

/// The learning rate of every step: over the first `warmup_epochs` it grows in equal steps, from base/(W + 1) at the
/// first of their W steps; then it is constant, or base · ½(1 + cos πt) while t goes from 0 towards 1 at the end.
struct LearningRateSchedule {
  std::optional<double> base = {};  // finite, > 0; empty: 1e-3 for adam and adamw, 1e-2 for sgd, as in Keras
  Index warmup_epochs = 0;          // >= 0, below the number of epochs
  Decay decay = Decay::constant;

  /// step: from 1. `base` must be set.
  double at(std::uint64_t step, Index steps_per_epoch, Index epochs) const;
};

struct TrainOptions {
  Index epochs = 250;             // >= 1
  Index batch = 128;              // >= 1; the last batch of an epoch may be smaller
  std::optional<Loss> loss = {};  // empty: default_loss()
  double label_smoothing = 0.0;   // in [0, 1): this share of the target is spread evenly over the classes
  OptimizerOptions optimizer = {};
  LearningRateSchedule learning_rate = {};
  double validation_fraction = 0.0;  // in [0, 1): share of the training rows held out by `seed`, of every class alike;
                                     // above 0 the weights of the epoch with the least loss on them are kept
  Index patience = 10;               // >= 0: epochs without a lesser validation loss that end the run; 0: none do
  std::uint64_t seed = 1;            // of the shuffle; epoch e is shuffled by (seed, e)
  Index evaluate_every = 1;          // epochs between tests on the test samples, >= 0; the last epoch always is
                                     // tested; 0: only that
  std::filesystem::path checkpoint = {};                         // file to continue from and to write; empty: none
  Index checkpoint_every = 10;                                   // epochs, >= 1; the end of the run is always kept
  std::function<void(const TrainingSummary& so_far)> kept = {};  // with a checkpoint: told at the start, and whenever
                                                                 // it was written, of the history up to there
  Vector target_scale = {};                                      // see EvaluateOptions
  std::string preparation = {};  // what was done to the samples, in words: a checkpoint belongs to it
  double sparse_below = 0.5;     // in [0, 1]: inputs whose share of non-zeros is lower use the sparse products

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;

  /// With loss and learning rate decided, as train() does. Throws Error(usage) when the loss does not fit the samples.
  TrainOptions resolved(bool has_labels) const;
};

struct EpochRecord {
  Index epoch = 0;                            // 1 for the first
  double train_loss = 0.0;                    // mean over the epoch's batches, each before its own step
  std::optional<double> train_accuracy = {};  // likewise; classification only
  std::optional<Metrics> test = {};           // after the epoch, where evaluate_every asked for it
  std::optional<Metrics> validation = {};     // after the epoch, with a validation_fraction
};

/// Where a training went wrong.
struct LayerFault {
  Index layer = 0;  // 1 is the first hidden layer, depth + 1 the output
  Index epoch = 0;  // from 1
};

struct TrainingSummary {
  std::vector<EpochRecord> history;    // one entry per finished epoch, including those before a resume
  Metrics train;                       // of the final weights, on the rows trained on
  std::optional<Metrics> test;         // of the final weights; none without test samples
  std::optional<Metrics> validation;   // of the final weights, with a validation_fraction
  std::optional<Index> best_epoch;     // whose weights these are, with a validation_fraction
  bool stopped_early = false;          // patience ended the run
  double seconds = 0.0;                // spent on epochs by this call, tests included
  double seconds_per_epoch = 0.0;      // mean over the epochs this call ran, tests excluded
  Index resumed_epochs = 0;            // finished epochs that came from the checkpoint
  bool diverged = false;               // the loss stopped being finite; the run ended in that epoch, which is not in
                                       // the history unless its last step was also the run's
  std::optional<LayerFault> exploded;  // the first layer whose values were not finite when it diverged
  std::optional<LayerFault> vanished;  // the last layer that no gradient reached, in the first epoch that ended so
  bool sparse = false;                 // whether the first layer used the sparse products
  double input_density = 1.0;          // share of non-zero training inputs
};

/// Minimises the loss (M6). With a checkpoint file the same call continues a run that was cut off, and ends with the
/// same bytes as one that was not. Throws Error(data) when that file is damaged; Error(usage) when it belongs to
/// another run or other data, naming the difference, or when another process is at it; Error(interrupted) when
/// `context` says stop, after writing the checkpoint.
TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const RunContext& context = {});

/// With `data`'s train and test rows, target scale and preparation. Throws Error(data) also when a class appears only
/// once among all rows there are.
TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options, const RunContext& context = {});

/// One of several networks that are trained side by side.
struct NetworkTask {
  Initialisation start;                    // one prior per layer
  std::uint64_t seed = 1;                  // of the draw and of the shuffle, instead of options.seed
  std::span<const Index> train_rows = {};  // of data.train, a row may come twice; empty: all
  std::span<const Index> test_rows = {};   // of data.train too, such as the fold left out; empty: data.test
};

/// Told of every network that is done, by its place in the tasks, as soon as it is; by one thread at a time.
using NetworkDone = std::function<void(std::size_t task, const TrainingSummary& summary, const Mlp& trained)>;

/// Networks of one shape, side by side: as many at a time as there are threads, each on one, which keeps all busy where
/// a single network is too small for that. Every network ends with the same bytes on any number of threads and beside
/// any others: those of train() on its rows, but for `sparse_below`, which looks at all rows of `data`, whose
/// preparation is shared too. One summary per task; the weights are shown to `done` and not kept. options.checkpoint
/// must be empty. `context` is asked by one thread at a time, though not always the same. Throws Error(usage) naming
/// the task that is wrong, before training any; Error(interrupted) when `context` says stop: `done` has had all that
/// were finished.
///
///     std::vector<NetworkTask> tasks;
///     for (const Fold& fold : folds) tasks.push_back({he, fold.seed, fold.rest, fold.rows});
///     for (const TrainingSummary& s : train_many(spec, data, tasks, {.epochs = 30})) use(s.test->accuracy);
std::vector<TrainingSummary> train_many(const NetworkSpec& spec, const PreparedData& data,
                                        std::span<const NetworkTask> tasks, const TrainOptions& options,
                                        const RunContext& context = {}, const NetworkDone& done = {});

// ---- Reporting ----------------------------------------------------------------------------------------------------

/// A number to be predicted beside what was predicted, in original units.
struct PredictedValue {
  Index output = 0;
  double truth = 0.0;
  double predicted = 0.0;
};

/// A training run with what it was about: what the command line, the files and the report page show.
struct TrainingReport {
  DataSummary data;
  std::vector<std::string> output_names;
  Index test_samples = 0;
  NetworkSpec network;
  Index network_outputs = 0;
  std::vector<LayerPrior> priors;       // one per layer
  std::optional<InitialScheme> scheme;  // where the priors come from one
  TrainOptions options;                 // resolved
  TrainingSummary summary;
  bool answers_of_test = false;             // whether the next two are about the test rows; else the training rows
  ConfusionMatrix confusion;                // classification with at most 100 classes
  std::vector<PredictedValue> predictions;  // regression: some 2000, of rows evenly spaced
  std::string unfinished;                   // why the training has no end: history is then all there is of its summary
  std::string command;                      // that made it; empty when no command did
};

/// Fills in all but priors, scheme and command. `options` as given to train().
TrainingReport report_training(const Mlp& trained, const PreparedData& data, const TrainOptions& options,
                               TrainingSummary summary, int threads = 0);

/// Of a training that goes on, or was cut off, after `so_far`.
TrainingReport report_unfinished(const Mlp& network, const PreparedData& data, const TrainOptions& options,
                                 TrainingSummary so_far);

std::string to_table(const TrainingReport& report);
std::string to_markdown(const TrainingReport& report);
std::string to_csv(const TrainingReport& report);   // the history; the same bytes for the same run
std::string to_json(const TrainingReport& report);  // schema priorfit.training/1

}  // namespace priorfit

// Finite networks: draw the parameters, train, measure.
//
//     PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = 4000, .seed = 1});
//     NetworkSpec spec = NetworkSpec::uniform(/*depth=*/1, /*width=*/2000);
//     Mlp network = initialise(spec, data.features(), data.outputs(), LayerPrior{2.8, 0.0}, /*seed=*/1);
//     TrainingSummary summary = train(network, data, {.epochs = 250, .batch = 128});
//     // summary.test->accuracy; summary.history[e].test->accuracy; network now holds the trained weights
//
// The same seed gives the same bytes for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/dataset.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/network.hpp"

namespace priorfit {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// z = weights · input + bias.
struct DenseLayer {
  FloatMatrix weights;   // outputs × inputs
  Eigen::VectorXf bias;  // outputs

  Index inputs() const { return weights.cols(); }
  Index outputs() const { return weights.rows(); }
};

/// A fully connected network; the activation follows every layer but the last. One of your own (Activation::custom) is
/// called by several threads at once and may not throw.
struct Mlp {
  NetworkSpec spec;
  std::vector<DenseLayer> layers;  // spec.depth() + 1

  Index features() const { return layers.front().inputs(); }
  Index outputs() const { return layers.back().outputs(); }
  Index parameters() const;  // weights and biases together

  /// Throws Error(usage) when the layers do not chain or do not have the shape of `spec`.
  void validate() const;
};

// ---- Initial parameters -------------------------------------------------------------------------------------------

/// Weight i of layer l (row-major, outputs × inputs) depends on (seed, l, i) and the prior alone. Throws Error(usage)
/// where check_deviations() does.
Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const LayerPrior& prior, std::uint64_t seed);
/// priors: one a layer; output_weight_variance means nothing in them.
Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const std::vector<LayerPrior>& priors,
               std::uint64_t seed, Distribution distribution = Distribution::normal);
Mlp initialise(const NetworkSpec& spec, Index features, Index outputs, const Initialisation& start, std::uint64_t seed);

/// Throws Error(usage) when √(σ_w²/fan_in) of a layer, or √σ_b² where σ_b² > 0, is so large or small that draws would
/// be infinite or 0 in single precision.
void check_deviations(const NetworkSpec& spec, Index features, Index outputs, const std::vector<LayerPrior>& priors);

struct SignalExplosion {
  Index layer = 0;        // 1 is the first hidden layer, depth + 1 the output
  double variance = 0.0;  // of its values before the activation
};
/// The first layer whose values, in a wide network of these priors at inputs of the mean ‖x‖² (M1), have squares beyond
/// single precision, so that neither loss nor gradient is finite; none where the signal stays in range.
std::optional<SignalExplosion> find_explosion(const NetworkSpec& spec, const std::vector<LayerPrior>& priors,
                                              const MatrixView& inputs);

// ---- Measuring ----------------------------------------------------------------------------------------------------

struct Metrics {
  Index samples = 0;
  double loss = 0.0;                // mean squared error over all samples and outputs, as trained on
  std::optional<double> accuracy;   // classification: share of samples whose largest output is the right class
  std::optional<double> rmse;       // regression: over all outputs, in the units of the original targets
  std::optional<double> r_squared;  // regression: 1 - residual/total sum of squares, averaged over outputs
};

/// rows × outputs.
Matrix forward(const Mlp& network, const MatrixView& inputs, int threads = 0);

/// Classification when `samples` has labels, regression otherwise. `target_scale` (outputs; empty: ones) turns
/// errors into original units, as PreparedData::target_scale does.
Metrics evaluate(const Mlp& network, const Samples& samples, const Vector& target_scale = {}, int threads = 0);

// ---- Training -----------------------------------------------------------------------------------------------------

/// Kingma and Ba's Adam with bias correction, in the arrangement PyTorch uses.
struct AdamOptions {
  double learning_rate = 1e-3;  // finite, > 0
  double beta1 = 0.9;           // in [0, 1)
  double beta2 = 0.999;         // in [0, 1)
  double epsilon = 1e-8;        // finite, > 0

  void validate() const;
};

struct TrainOptions {
  Index epochs = 250;  // >= 1
  Index batch = 128;   // >= 1; the last batch of an epoch may be smaller
  AdamOptions adam = {};
  std::uint64_t seed = 1;                 // of the shuffle; epoch e is shuffled by (seed, e)
  int threads = 0;                        // 0: all cores
  Index evaluate_every = 1;               // epochs between tests on the test samples, >= 0; the last epoch always is
                                          // tested; 0: only that
  std::filesystem::path checkpoint = {};  // file to continue from and to write; empty: none
  Index checkpoint_every = 10;            // epochs, >= 1; the end of the run is always kept
  Vector target_scale = {};               // see evaluate()
  double sparse_below = 0.5;              // in [0, 1]: inputs whose share of non-zeros is lower use the sparse products

  /// Throws Error(usage) that names field, value and rule.
  void validate() const;
};

struct EpochRecord {
  Index epoch = 0;                       // 1 for the first
  double train_loss = 0.0;               // mean over the epoch's batches, each before its own step
  std::optional<double> train_accuracy;  // likewise; classification only
  std::optional<Metrics> test;           // after the epoch, where evaluate_every asked for it
};

struct TrainingProgress {
  Index epoch = 0;  // the running one, from 1
  Index epochs = 0;
  double fraction = 0.0;    // of the whole training, in [0, 1]
  double train_loss = 0.0;  // of the running epoch so far
  std::optional<double> train_accuracy;
  const EpochRecord* finished = nullptr;  // set on the call that follows an epoch
};

/// Called after every epoch and about ten times a second; false ends the training, which then reports `cancelled`.
using TrainingCallback = std::function<bool(const TrainingProgress&)>;

struct TrainingSummary {
  std::vector<EpochRecord> history;  // one entry a finished epoch, including those before a resume
  Metrics train;                     // of the final weights
  std::optional<Metrics> test;       // of the final weights; none without test samples
  double seconds = 0.0;              // spent on epochs by this call, tests included
  double seconds_per_epoch = 0.0;    // mean over the epochs this call ran, tests excluded
  Index resumed_epochs = 0;          // finished epochs that came from the checkpoint
  bool cancelled = false;
  bool diverged = false;       // the loss stopped being finite; the run ended in that epoch, which is not in
                               // the history unless its last step was also the run's
  bool sparse = false;         // whether the first layer used the sparse products
  double input_density = 1.0;  // share of non-zero training inputs
};

/// Minimises the mean squared error (M6) by Adam. With a checkpoint file the same call continues a run that was
/// cut off, and ends with the same bytes as one that was not. Throws Error(data) when that file is damaged,
/// Error(usage) when it belongs to another run, naming the difference.
TrainingSummary train(Mlp& network, const Samples& train, const Samples& test, const TrainOptions& options,
                      const TrainingCallback& progress = {});

/// With `data`'s train and test rows and target scale.
TrainingSummary train(Mlp& network, const PreparedData& data, TrainOptions options,
                      const TrainingCallback& progress = {});

// ---- Reporting ----------------------------------------------------------------------------------------------------

/// A training run with what it was about: what the command line, the files and the report page show.
struct TrainingReport {
  DataSummary data;
  Index test_samples = 0;
  NetworkSpec network;
  std::vector<LayerPrior> priors;       // one a layer
  std::optional<InitialScheme> scheme;  // where the priors come from one
  TrainOptions options;
  TrainingSummary summary;
};

std::string to_table(const TrainingReport& report);
std::string to_markdown(const TrainingReport& report);
std::string to_csv(const TrainingReport& report);   // the history; the same bytes for the same run
std::string to_json(const TrainingReport& report);  // schema priorfit.training/1

}  // namespace priorfit

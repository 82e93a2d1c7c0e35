// Finite networks: draw the parameters, measure. How they are trained: training.hpp.
//
//     PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = 4000, .seed = 1});
//     NetworkSpec spec = NetworkSpec::uniform(/*depth=*/1, /*width=*/2000);
//     Mlp network = initialise(spec, data.features(), data.outputs(), LayerPrior{2.8, 0.0}, /*seed=*/1);
//     Metrics untrained = evaluate(network, data.test);   // untrained.accuracy is about 10 %
//
// The same seed gives the same bytes for any number of threads.
#pragma once

#include <cstdint>
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
/// priors: one per layer.
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

/// What training minimises, averaged over the samples.
enum class Loss {
  squared,        // (output - target)², averaged over the outputs too: regression, or classes encoded as in M6
  cross_entropy,  // -log of the softmax at the label; with one output, for two classes, of the logistic function
};

std::string_view to_string(Loss loss);   // "squared", "cross-entropy"
Loss parse_loss(std::string_view name);  // throws Error(usage) with the nearest match
Loss default_loss(bool has_labels);      // cross-entropy for classes, squared for numbers

struct Metrics {
  Index samples = 0;
  double loss = 0.0;                                   // as trained on, without weight decay
  std::optional<double> accuracy = {};                 // classification: share of samples with the right answer
  std::optional<double> rmse = {};                     // regression: over all outputs, in the original units
  std::optional<double> r_squared = {};                // regression: 1 - residual/total squares, mean over outputs
  std::optional<double> negative_log_likelihood = {};  // nats per sample; cross-entropy only, without smoothing
  std::optional<double> balanced_accuracy = {};        // classification: mean over the classes that occur
  std::optional<double> top5_accuracy = {};            // with more than 20 classes: label among the 5 largest outputs
};

struct EvaluateOptions {
  std::optional<Loss> loss = {};  // empty: default_loss()
  double label_smoothing = 0.0;   // see TrainOptions
  Vector target_scale = {};       // outputs; empty: ones. Turns errors into original units
};

/// rows × outputs; logits where the network was trained by cross-entropy.
Matrix forward(const Mlp& network, const MatrixView& inputs, int threads = 0);

/// Classification when `samples` has labels, regression otherwise. The answer of a network is its largest output; with
/// one output, for two classes, class 1 where it is above 0. Throws Error(usage) when samples or loss do not fit.
Metrics evaluate(const Mlp& network, const Samples& samples, const EvaluateOptions& options = {}, int threads = 0);

/// counts[t][p]: samples of class t that the network takes for class p.
using ConfusionMatrix = std::vector<std::vector<Index>>;
ConfusionMatrix confusion_matrix(const Mlp& network, const Samples& samples, int threads = 0);

}  // namespace priorfit

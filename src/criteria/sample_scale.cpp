#include "criteria/sample_scale.hpp"

#include <cmath>
#include <limits>

#include "kernel/layers.hpp"
#include "priorfit/signal.hpp"

namespace priorfit::internal {
namespace {

/// K_L(x, x) of an input with ‖x‖²/features = input_variance; 0 or infinity where it leaves the range of numbers.
double output_variance(const NetworkSpec& network, const std::vector<LayerPrior>& layers, double input_variance) {
  const LayerVariances variances(network, layers, /*features=*/1, Vector::Constant(1, input_variance));
  if (!variances.failure()) return variances.output(0);
  return variances.failure()->variance < 1 ? 0.0 : std::numeric_limits<double>::infinity();
}

/// K_L(x, x) rises with σ_w²: the σ_w² at which it passes `level`, by halving.
double weight_variance_at(const NetworkSpec& network, const SampleScale& scale, const Bounds& weights,
                          double bias_variance, double level) {
  double low = weights.lower, high = weights.upper;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (output_variance(network, layer_priors({middle, bias_variance}, network), scale.input_variance) < level ? low
                                                                                                            : high) =
        middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

SampleScale::SampleScale(const MatrixView& inputs, const MatrixView& targets)
    : input_variance(inputs.squaredNorm() / static_cast<double>(inputs.size())),
      largest_input_variance(inputs.rowwise().squaredNorm().maxCoeff() / static_cast<double>(inputs.cols())),
      target_variance(targets.squaredNorm() / static_cast<double>(targets.size())) {}

bool is_plausible(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const SampleScale& scale) {
  const double first = layers.front().bias_variance + layers.front().weight_variance * scale.largest_input_variance;
  return output_variance(network, layers, scale.largest_input_variance) < 1e5 * (first + scale.target_variance);
}

bool is_shallow(const NetworkSpec& network) { return network.depth() <= 3; }

std::vector<LayerPrior> promising_pairs(const NetworkSpec& network, const Bounds& weights,
                                        const std::vector<double>& biases, const SampleScale& scale) {
  if (is_shallow(network)) return {};
  std::vector<LayerPrior> pairs;
  const auto add = [&](double weight_variance, double bias_variance) {
    const bool inside = weight_variance >= weights.lower && weight_variance <= weights.upper;
    if (inside) pairs.push_back({weight_variance, bias_variance});
  };
  if (biases.front() == 0) {
    add(2.0, 0.0);  // He
    add(1.0, 0.0);  // LeCun
  }
  const double grown_slope = DiagonalDual(network.activation).squared_slope(1e6);
  for (const double b : biases) {
    const auto critical = critical_point(network.activation, b);
    const bool reached = critical && critical->reached;
    // Without such a point χ₁ = 1 where the variance has grown without bound.
    const double centre = reached ? critical->weight_variance : 1 / grown_slope;
    // After L layers the ridge is about 1/L wide in log σ_w², and lies where differences have shrunk to what the noise
    // hides.
    for (const double k : {-16.0, -8.0, -4.0, -1.0, 2.0}) {
      add(centre * std::exp(k / static_cast<double>(network.depth())), b);
    }
    if (reached) continue;
    // Variances that grow as much leave the same correlations with a bias as large as the inputs' share: the ridge then
    // goes on above the line (abs at depth 1000 had its maximum at k = 5).
    for (const double k : {4.0, 7.0}) add(centre * std::exp(k / static_cast<double>(network.depth())), b);
    for (const double factor : {1.0, 10.0, 1000.0}) {
      add(weight_variance_at(network, scale, weights, b, factor * (b + scale.target_variance)), b);
    }
  }
  return pairs;
}

}  // namespace priorfit::internal

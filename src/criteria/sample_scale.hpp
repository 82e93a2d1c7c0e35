// How large a sample is to one unit, and where the evidence of deep networks can have its ridge.
#pragma once

#include <vector>

#include "priorfit/family.hpp"
#include "priorfit/matrix.hpp"
#include "priorfit/network.hpp"

namespace priorfit::internal {

/// ‖x‖²/features, its mean and its largest, and the mean square of the targets.
struct SampleScale {
  double input_variance;
  double largest_input_variance;
  double target_variance;

  SampleScale(const MatrixView& inputs, const MatrixView& targets);
};

/// Whether K_L(x, x) of the largest input stays within 1e5 times what went in and the targets: functions that grow more
/// explain no data, and tables of an activation for such variances take long to make.
bool is_plausible(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const SampleScale& scale);

/// Whether a coarse grid finds the maxima of the evidence. That of deeper networks is a ridge that narrows with depth.
bool is_shallow(const NetworkSpec& network);

/// Pairs within the bounds that a coarse grid may miss, none of a shallow network: He's and LeCun's, and, at each of
/// `biases`, pairs along the lines that the ridge can follow: where χ₁ = 1, and where outputs are about as large as the
/// targets.
std::vector<LayerPrior> promising_pairs(const NetworkSpec& network, const Bounds& weights,
                                        const std::vector<double>& biases, const SampleScale& scale);

}  // namespace priorfit::internal

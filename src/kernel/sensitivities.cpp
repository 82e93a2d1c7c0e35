#include "kernel/sensitivities.hpp"

#include "kernel/dual_pass.hpp"

namespace priorfit {

bool slopes_are_logarithmic(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::erf:
    case Activation::Kind::gelu:
    case Activation::Kind::sin:
    case Activation::Kind::cos: return false;
    default: return true;
  }
}

LayerSensitivities::LayerSensitivities(const NetworkSpec& network, const Prior& prior, Index features,
                                       const Vector& squared_norms)
    : weight_(network.depth() + 1, squared_norms.size()),
      bias_(network.depth() + 1, squared_norms.size()),
      output_weight_(squared_norms.size()),
      output_bias_(squared_norms.size()) {
  const bool logarithmic = slopes_are_logarithmic(network.activation);
  const double w = prior.weight_variance, scale = 1.0 / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = prior.bias_variance + w * scale * squared_norms[i];
    double by_weight = scale * squared_norms[i], by_bias = 1.0;
    for (Index l = 0; l <= network.depth(); ++l) {
      const double factor = !logarithmic ? 1.0 : q > 0 ? 1.0 / q : 0.0;
      weight_(l, i) = factor * by_weight;
      bias_(l, i) = factor * by_bias;
      if (l == network.depth()) break;
      const Dual dual = diagonal_dual(network.activation, q);
      by_weight = dual.value + w * dual.derivative * by_weight;
      by_bias = 1.0 + w * dual.derivative * by_bias;
      q = prior.bias_variance + w * dual.value;
    }
    output_weight_[i] = by_weight;
    output_bias_[i] = by_bias;
  }
}

SensitivityPass::SensitivityPass(const NetworkSpec& network, const Prior& prior, Index features)
    : network_(network), prior_(prior), features_(static_cast<double>(features)) {}

GradientSums SensitivityPass::run(const double* gram, const double* coefficients, Index length,
                                  const LayerVariances& variances, const LayerSensitivities& slopes, Index first_row,
                                  Index column) const {
  GradientSums sums;
  closed_form_pass(network_.activation)
      .gradient({.pass = {.gram = gram,
                          .covariances = nullptr,
                          .length = length,
                          .row_variances = variances.layer(0) + first_row,
                          .row_stride = variances.size(),
                          .column_variances = variances.layer(0) + column,
                          .column_stride = variances.size(),
                          .depth = network_.depth(),
                          .input_scale = prior_.weight_variance / features_,
                          .weight_variance = prior_.weight_variance,
                          .bias_variance = prior_.bias_variance,
                          .negative_slope = network_.activation.negative_slope()},
                 .coefficients = coefficients,
                 .input_derivative = 1.0 / features_,
                 .row_weight_slopes = slopes.weight_slopes() + first_row,
                 .row_bias_slopes = slopes.bias_slopes() + first_row,
                 .column_weight_slopes = slopes.weight_slopes() + column,
                 .column_bias_slopes = slopes.bias_slopes() + column},
                sums);
  return sums;
}

}  // namespace priorfit

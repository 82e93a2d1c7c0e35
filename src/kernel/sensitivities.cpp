#include "kernel/sensitivities.hpp"

#include "kernel/relu_pass.hpp"

namespace priorfit {

LayerSensitivities::LayerSensitivities(const NetworkSpec& network, const Prior& prior, Index features,
                                       const Vector& squared_norms)
    : weight_(network.depth() + 1, squared_norms.size()),
      bias_(network.depth() + 1, squared_norms.size()),
      output_weight_(squared_norms.size()),
      output_bias_(squared_norms.size()) {
  const double w = prior.weight_variance, scale = 1.0 / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = prior.bias_variance + w * scale * squared_norms[i];
    double by_weight = scale * squared_norms[i], by_bias = 1.0;
    for (Index l = 0; l <= network.depth(); ++l) {
      weight_(l, i) = q > 0 ? by_weight / q : 0.0;
      bias_(l, i) = q > 0 ? by_bias / q : 0.0;
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
  switch (network_.activation.kind()) {
    case Activation::Kind::relu:
      return relu_gradient_pass({.pass = {.gram = gram,
                                          .covariances = nullptr,
                                          .length = length,
                                          .row_variances = variances.layer(0) + first_row,
                                          .row_stride = variances.size(),
                                          .column_variances = variances.layer(0) + column,
                                          .column_stride = variances.size(),
                                          .depth = network_.depth(),
                                          .input_scale = prior_.weight_variance / features_,
                                          .weight_variance = prior_.weight_variance,
                                          .bias_variance = prior_.bias_variance},
                                 .coefficients = coefficients,
                                 .input_derivative = 1.0 / features_,
                                 .row_weight_slopes = slopes.weight_slopes() + first_row,
                                 .row_bias_slopes = slopes.bias_slopes() + first_row,
                                 .column_weight_slopes = slopes.weight_slopes() + column,
                                 .column_bias_slopes = slopes.bias_slopes() + column});
  }
  return {};
}

}  // namespace priorfit

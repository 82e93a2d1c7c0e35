#include "kernel/layers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernel/dual_pass.hpp"
#include "priorfit/error.hpp"

namespace priorfit {

DualPass closed_form_pass(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return relu_pass();
    case Activation::Kind::leaky_relu:
    case Activation::Kind::abs:
    case Activation::Kind::identity: return two_slope_pass();
    case Activation::Kind::erf: return erf_pass();
    case Activation::Kind::gelu: return gelu_pass();
    case Activation::Kind::sin: return sin_pass();
    case Activation::Kind::cos: return cos_pass();
    default: throw Error(ErrorKind::usage, fmt::format("activation '{}' has no covariance yet", activation.name()));
  }
}

LayerVariances::LayerVariances(const NetworkSpec& network, const Prior& prior, Index features,
                               const Vector& squared_norms)
    : layers_(network.depth() + 1, squared_norms.size()) {
  const double input_scale = prior.weight_variance / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = std::fma(squared_norms[i], input_scale, prior.bias_variance);
    layers_(0, i) = q;
    for (Index l = 1; l <= network.depth(); ++l) {
      q = prior.bias_variance + prior.weight_variance * diagonal_dual(network.activation, q).value;
      layers_(l, i) = q;
    }
  }
}

CovariancePass::CovariancePass(const NetworkSpec& network, const Prior& prior, Index features)
    : activation_(network.activation),
      depth_(network.depth()),
      weight_variance_(prior.weight_variance),
      bias_variance_(prior.bias_variance),
      input_scale_(prior.weight_variance / static_cast<double>(features)) {}

void CovariancePass::run(const double* gram, double* covariances, Index length, const LayerVariances& rows,
                         Index first_row, const LayerVariances& columns, Index column) const {
  closed_form_pass(activation_).covariance({.gram = gram,
                                            .covariances = covariances,
                                            .length = length,
                                            .row_variances = rows.layer(0) + first_row,
                                            .row_stride = rows.size(),
                                            .column_variances = columns.layer(0) + column,
                                            .column_stride = columns.size(),
                                            .depth = depth_,
                                            .input_scale = input_scale_,
                                            .weight_variance = weight_variance_,
                                            .bias_variance = bias_variance_,
                                            .negative_slope = activation_.negative_slope()});
}

Vector gram_diagonal(const PackedSymmetric& gram) {
  Vector diagonal(gram.size());
  for (Index i = 0; i < gram.size(); ++i) diagonal[i] = gram(i, i);
  return diagonal;
}

void packed_covariance(const CovariancePass& pass, const LayerVariances& variances, double ridge,
                       const PackedSymmetric& gram, PackedSymmetric& covariance) {
  // Entries do not depend on each other, so any split over threads gives the same bytes.
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < gram.columns(); ++c) {
    for (const PackedRun& run : gram.runs(c)) {
      pass.run(gram.values() + run.offset, covariance.values() + run.offset, run.length, variances, run.first_row,
               variances, run.column);
    }
  }
  for (Index i = 0; i < covariance.size(); ++i) covariance(i, i) = variances.output(i) + ridge;
}

}  // namespace priorfit

#include "kernel/layers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "priorfit/error.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
namespace {

constexpr double smallest_variance = 0x1p-500, largest_variance = 0x1p+500;  // products of two are normal doubles

}  // namespace

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
    default: return {};
  }
}

LayerPriors::LayerPriors(const std::vector<LayerPrior>& layers) {
  for (const LayerPrior& layer : layers) {
    weights.push_back(layer.weight_variance);
    biases.push_back(layer.bias_variance);
  }
}

LayerVariances::LayerVariances(const NetworkSpec& network, const LayerPriors& priors, Index features,
                               const Vector& squared_norms)
    : layers_(network.depth() + 1, squared_norms.size()) {
  const DiagonalDual diagonal(network.activation);
  const double input_scale = priors.weights[0] / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = std::fma(squared_norms[i], input_scale, priors.biases[0]);
    const bool has_signal = squared_norms[i] > 0 || priors.biases[0] > 0;
    layers_(0, i) = q;
    for (Index l = 1; l <= network.depth(); ++l) {
      // A failed variance is not carried on: activations need not be finite at infinity.
      const bool fine = q <= largest_variance && (q >= smallest_variance || !has_signal);
      if (!fine && (!failure_ || failure_->layer > l)) failure_ = {l, i, q};
      const auto layer = static_cast<std::size_t>(l);
      q = fine ? priors.biases[layer] + priors.weights[layer] * diagonal(q).value : std::nan("");
      layers_(l, i) = q;
    }
    const bool fine = q <= largest_variance && (q >= smallest_variance || !has_signal);
    if (!fine && !failure_) failure_ = {network.depth() + 1, i, q};
  }
  if (failure_ || !is_tabulated(network.activation)) return;
  const auto tables = ActivationTables::of(network.activation);
  table_rows_.reserve(static_cast<std::size_t>(network.depth()));
  for (Index l = 0; l < network.depth(); ++l) table_rows_.emplace_back(tables->value, span(l));
}

std::string VarianceFailure::text() const {
  return fmt::format("the variance {} at layer {}: {:.2g} is too {} for double precision",
                     variance < 1 ? "vanishes" : "explodes", layer, variance, variance < 1 ? "small" : "large");
}

void LayerVariances::require_success() const {
  if (failure_) throw Error(ErrorKind::numerical, failure_->text());
}

CovariancePass::CovariancePass(const NetworkSpec& network, const LayerPriors& priors, Index features)
    : activation_(network.activation),
      tables_(is_tabulated(network.activation) ? ActivationTables::of(network.activation) : nullptr),
      depth_(network.depth()),
      priors_(priors),
      features_(static_cast<double>(features)) {}

PassArguments pass_arguments(const Activation& activation, const LayerPriors& priors, double features,
                             const LayerVariances& rows, Index first_row, const LayerVariances& columns, Index column) {
  PassArguments p{};
  p.row_variances = rows.layer(0) + first_row;
  p.row_stride = rows.size();
  p.column_variances = columns.layer(0) + column;
  p.column_stride = columns.size();
  p.depth = rows.depth();
  p.features = features;
  p.weight_variances = priors.weights.data();
  p.bias_variances = priors.biases.data();
  p.negative_slope = activation.negative_slope();
  return p;
}

void CovariancePass::run(const double* gram, double* covariances, Index length, const LayerVariances& rows,
                         Index first_row, const LayerVariances& columns, Index column) const {
  if (tables_) return run_table(gram, covariances, length, rows, first_row, columns, column);
  PassArguments p = pass_arguments(activation_, priors_, features_, rows, first_row, columns, column);
  p.gram = gram;
  p.covariances = covariances;
  p.length = length;
  closed_form_pass(activation_).covariance(p);
}

void CovariancePass::run_table(const double* gram, double* covariances, Index length, const LayerVariances& rows,
                               Index first_row, const LayerVariances& columns, Index column) const {
  const double input_scale = priors_.weights[0] / features_, input_bias = priors_.biases[0];
  for (Index k = 0; k < length; ++k) covariances[k] = gram[k] * input_scale + input_bias;
  for (Index l = 0; l < depth_; ++l) {
    TableArguments layer = table_arguments(tables_->value, rows, first_row, columns, column, l);
    layer.length = length;
    layer.covariances = layer.values = covariances;
    table_pass(layer);
    const double weight = priors_.weights[static_cast<std::size_t>(l + 1)];
    const double bias = priors_.biases[static_cast<std::size_t>(l + 1)];
    for (Index k = 0; k < length; ++k) covariances[k] = covariances[k] * weight + bias;
  }
}

void CovariancePass::prepare(const LayerVariances& rows, const LayerVariances& columns) const {
  if (!tables_) return;
  for (Index l = 0; l < depth_; ++l) prepare_blocks(tables_->value, rows.table_rows(l), columns.table_rows(l));
}

TableArguments table_arguments(const FunctionTable& table, const LayerVariances& rows, Index first_row,
                               const LayerVariances& columns, Index column, Index l) {
  const TableRows &of_rows = rows.table_rows(l), &of_columns = columns.table_rows(l);
  TableArguments p{};
  p.table = &table;
  p.row_variances = rows.layer(l) + first_row;
  p.row_panels = of_rows.panels.data() + first_row;
  p.row_terms = of_rows.terms.data() + first_row * FunctionTable::variance_terms;
  p.row_norms = of_rows.norms.data() + first_row;
  p.column_variance = columns.at(l, column);
  p.column_panel = of_columns.panels[static_cast<std::size_t>(column)];
  p.column_terms = of_columns.terms.data() + column * FunctionTable::variance_terms;
  p.column_norm = of_columns.norms[static_cast<std::size_t>(column)];
  return p;
}

Vector gram_diagonal(const PackedSymmetric& gram) {
  Vector diagonal(gram.size());
  for (Index i = 0; i < gram.size(); ++i) diagonal[i] = gram(i, i);
  return diagonal;
}

void packed_covariance(const CovariancePass& pass, const LayerVariances& variances, double ridge,
                       const PackedSymmetric& gram, PackedSymmetric& covariance) {
  pass.prepare(variances, variances);
  // Entries do not depend on each other, so any split over threads gives the same bytes.
  LoopError error;
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < gram.columns(); ++c) {
    for (const PackedRun& run : gram.runs(c)) {
      error.guard([&] {
        pass.run(gram.values() + run.offset, covariance.values() + run.offset, run.length, variances, run.first_row,
                 variances, run.column);
      });
    }
  }
  error.rethrow();
  for (Index i = 0; i < covariance.size(); ++i) covariance(i, i) = variances.output(i) + ridge;
}

}  // namespace priorfit

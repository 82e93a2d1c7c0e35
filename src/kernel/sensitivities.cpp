#include "kernel/sensitivities.hpp"

#include <cmath>

namespace priorfit {

namespace {

/// Whether the output layer's variances follow σ_w² and σ_b².
double output_share(const LayerPrior& prior) { return prior.output_weight_variance ? 0.0 : 1.0; }

}  // namespace

bool slopes_are_logarithmic(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::erf:
    case Activation::Kind::gelu:
    case Activation::Kind::sin:
    case Activation::Kind::cos: return false;
    default: return true;
  }
}

LayerSensitivities::LayerSensitivities(const NetworkSpec& network, const LayerPrior& prior, Index features,
                                       const Vector& squared_norms)
    : weight_(network.depth() + 1, squared_norms.size()),
      bias_(network.depth() + 1, squared_norms.size()),
      output_weight_(squared_norms.size()),
      output_bias_(squared_norms.size()) {
  const DiagonalDual diagonal(network.activation);
  const bool logarithmic = slopes_are_logarithmic(network.activation);
  const std::vector<LayerPrior> layers = layer_priors(prior, network);
  const double scale = 1.0 / static_cast<double>(features);
  for (Index i = 0; i < squared_norms.size(); ++i) {
    double q = prior.bias_variance + prior.weight_variance * scale * squared_norms[i];
    double by_weight = scale * squared_norms[i], by_bias = 1.0;
    for (Index l = 0; l <= network.depth(); ++l) {
      const double factor = !logarithmic ? 1.0 : q > 0 ? 1.0 / q : 0.0;
      weight_(l, i) = factor * by_weight;
      bias_(l, i) = factor * by_bias;
      if (l == network.depth()) break;
      const Dual dual = diagonal(q);
      const LayerPrior& next = layers[static_cast<std::size_t>(l + 1)];
      const double share = l + 1 < network.depth() ? 1.0 : output_share(prior);
      by_weight = share * dual.value + next.weight_variance * dual.derivative * by_weight;
      by_bias = share + next.weight_variance * dual.derivative * by_bias;
      q = next.bias_variance + next.weight_variance * dual.value;
    }
    output_weight_[i] = by_weight;
    output_bias_[i] = by_bias;
  }
  if (!is_tabulated(network.activation)) return;
  const auto tables = ActivationTables::of(network.activation);
  const LayerVariances variances(network, prior, features, squared_norms);
  for (Index l = 0; l < network.depth(); ++l) table_slopes_.emplace_back(*tables, variances.span(l));
}

SensitivityPass::SensitivityPass(const NetworkSpec& network, const LayerPrior& prior, Index features)
    : network_(network),
      priors_(network, prior),
      output_share_(output_share(prior)),
      features_(static_cast<double>(features)),
      tables_(is_tabulated(network.activation) ? ActivationTables::of(network.activation) : nullptr) {}

void SensitivityPass::prepare(const LayerVariances& variances) const {
  if (!tables_) return;
  for (Index l = 0; l < network_.depth(); ++l) {
    prepare_blocks(tables_->value, variances.table_rows(l), variances.table_rows(l));
    prepare_blocks(tables_->derivative, variances.table_rows(l), variances.table_rows(l));
  }
}

GradientSums SensitivityPass::run(const double* gram, const double* coefficients, Index length,
                                  const LayerVariances& variances, const LayerSensitivities& slopes, Index first_row,
                                  Index column) const {
  if (tables_) return run_table(gram, coefficients, length, variances, slopes, first_row, column);
  GradientSums sums;
  PassArguments p = pass_arguments(network_.activation, priors_, features_, variances, first_row, variances, column);
  p.gram = gram;
  p.length = length;
  closed_form_pass(network_.activation)
      .gradient({.pass = p,
                 .coefficients = coefficients,
                 .output_share = output_share_,
                 .row_weight_slopes = slopes.weight_slopes() + first_row,
                 .row_bias_slopes = slopes.bias_slopes() + first_row,
                 .column_weight_slopes = slopes.weight_slopes() + column,
                 .column_bias_slopes = slopes.bias_slopes() + column},
                sums);
  return sums;
}

// At a fixed angle ∂E/∂log a = κ_a E + the slope of the series, κ = d log s/d log q; and since c = √(ab) cos φ,
//   dE = (∂E/∂log a − ½ c E_c) a'/a + (∂E/∂log b − ½ c E_c) b'/b + E_c c',   E_c = E[φ′φ′] from a table of its own.
GradientSums SensitivityPass::run_table(const double* gram, const double* coefficients, Index length,
                                        const LayerVariances& variances, const LayerSensitivities& slopes,
                                        Index first_row, Index column) const {
  thread_local std::vector<double> scratch;
  scratch.resize(static_cast<std::size_t>(7 * length));
  double* arrays[7];
  for (Index k = 0; k < 7; ++k) arrays[k] = scratch.data() + k * length;
  const auto [c, by_weight, by_bias, value, by_row, by_column, by_c] = arrays;
  for (Index k = 0; k < length; ++k) {
    c[k] = gram[k] * (priors_.weights[0] / features_) + priors_.biases[0];
    by_weight[k] = gram[k] / features_;
    by_bias[k] = 1.0;
  }
  const Index terms = FunctionTable::variance_terms, inputs = variances.size();
  for (Index l = 0; l < network_.depth(); ++l) {
    const TableSlopes& table = slopes.table_slopes(l);
    TableArguments layer = table_arguments(tables_->value, variances, first_row, variances, column, l);
    layer.length = length;
    layer.covariances = c;
    layer.values = value;
    layer.row_slopes = table.terms.data() + first_row * terms;
    layer.column_slopes = table.terms.data() + column * terms;
    layer.by_row = by_row;
    layer.by_column = by_column;
    layer.second = &tables_->derivative;
    layer.second_row_norms = table.derivative_norms.data() + first_row;
    layer.second_column_norm = table.derivative_norms[static_cast<std::size_t>(column)];
    layer.second_values = by_c;
    table_pass(layer);
    const double* row_weight = slopes.weight_slopes() + l * inputs + first_row;
    const double* row_bias = slopes.bias_slopes() + l * inputs + first_row;
    const double column_weight = slopes.weight_slopes()[l * inputs + column];
    const double column_bias = slopes.bias_slopes()[l * inputs + column];
    const double* row_growth = table.by_log_q.data() + first_row;
    const double column_growth = table.by_log_q[static_cast<std::size_t>(column)];
    const double w = priors_.weights[static_cast<std::size_t>(l + 1)],
                 bias = priors_.biases[static_cast<std::size_t>(l + 1)];
    const double share = l + 1 < network_.depth() ? 1.0 : output_share_;
    for (Index k = 0; k < length; ++k) {
      const double turned = 0.5 * c[k] * by_c[k];
      const double by_a = row_growth[k] * value[k] + by_row[k] - turned;
      const double by_b = column_growth * value[k] + by_column[k] - turned;
      by_weight[k] = share * value[k] + w * (by_a * row_weight[k] + by_b * column_weight + by_c[k] * by_weight[k]);
      by_bias[k] = share + w * (by_a * row_bias[k] + by_b * column_bias + by_c[k] * by_bias[k]);
      c[k] = value[k] * w + bias;
    }
  }
  GradientSums sums;
  for (Index k = 0; k < length; ++k) {
    sums.weight += coefficients[k] * by_weight[k];
    sums.bias += coefficients[k] * by_bias[k];
  }
  return sums;
}

}  // namespace priorfit

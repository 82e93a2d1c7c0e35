#include "kernel/tangent.hpp"

#include <cmath>

#include "support/loop_error.hpp"

namespace priorfit {
namespace {

/// The parts of Θ(x, x) that the layers' weights and biases make, at unit rates.
struct Parts {
  std::vector<double> weights;
  std::vector<double> biases;
};

Parts diagonal_parts(const DiagonalDual& dual, const LayerPriors& priors, const LayerVariances& variances,
                     double squared_norm, Index input) {
  const Index depth = variances.depth();
  Parts parts{std::vector<double>(static_cast<std::size_t>(depth + 1)), {}};
  parts.biases = parts.weights;
  // From the output back: how a change of layer l's output reaches the network's.
  double reach = 1.0;
  for (Index l = depth; l >= 0; --l) {
    const auto layer = static_cast<std::size_t>(l);
    const double own = l == 0 ? squared_norm : dual(variances.at(l - 1, input)).value;
    parts.weights[layer] = reach * own;
    parts.biases[layer] = reach;
    if (l > 0) reach *= priors.weights[layer] * dual.squared_slope(variances.at(l - 1, input));
  }
  return parts;
}

std::vector<std::vector<double>> derivative_norms(const ActivationTables& tables, const LayerVariances& variances) {
  std::vector<std::vector<double>> norms;
  for (Index l = 0; l < variances.depth(); ++l) norms.push_back(TableRows(tables.derivative, variances.span(l)).norms);
  return norms;
}

}  // namespace

LayerRates gradient_descent_rates(const NetworkSpec& network) {
  LayerRates rates{{1.0}, std::vector<double>(network.hidden_widths.size() + 1, 1.0)};
  for (const Index width : network.hidden_widths) rates.weights.push_back(static_cast<double>(width));
  return rates;
}

LayerRates adam_rates(const NetworkSpec& network, const LayerPriors& priors, Index features,
                      const LayerVariances& variances, const Vector& squared_norms) {
  LayerRates rates = gradient_descent_rates(network);
  const std::size_t layers = rates.weights.size();
  std::vector<double> weights(layers, 0.0), biases(layers, 0.0);
  const DiagonalDual dual(network.activation);
  for (Index i = 0; i < variances.size(); ++i) {
    const Parts parts = diagonal_parts(dual, priors, variances, squared_norms[i], i);
    for (std::size_t l = 0; l < layers; ++l) {
      weights[l] += parts.weights[l] * rates.weights[l] / static_cast<double>(variances.size());
      biases[l] += parts.biases[l] * rates.biases[l] / static_cast<double>(variances.size());
    }
  }
  double fan_in = static_cast<double>(features);
  for (std::size_t l = 0; l < layers; ++l) {
    // An output reaches but its own row of the last layer.
    const double units = l + 1 < layers ? static_cast<double>(network.hidden_widths[l]) : 1.0;
    if (weights[l] > 0) rates.weights[l] *= std::sqrt(fan_in * units / weights[l]);
    if (biases[l] > 0) rates.biases[l] *= std::sqrt(units / biases[l]);
    fan_in = units;
  }
  return rates;
}

TangentPass::TangentPass(const NetworkSpec& network, const LayerPriors& priors, const LayerRates& rates, Index features,
                         const LayerVariances& variances)
    : network_(network),
      priors_(priors),
      rates_(rates),
      features_(static_cast<double>(features)),
      variances_(variances),
      tables_(is_tabulated(network.activation) ? ActivationTables::of(network.activation) : nullptr) {
  if (!tables_) return;
  derivative_norms_ = derivative_norms(*tables_, variances);
  for (Index l = 0; l < variances.depth(); ++l) {
    prepare_blocks(tables_->value, variances.table_rows(l), variances.table_rows(l));
    prepare_blocks(tables_->derivative, variances.table_rows(l), variances.table_rows(l));
  }
}

void TangentPass::run(const double* gram, double* covariances, double* tangents, Index length, Index first_row,
                      Index column) const {
  if (tables_) return run_table(gram, covariances, tangents, length, first_row, column);
  PassArguments p = pass_arguments(network_.activation, priors_, features_, variances_, first_row, variances_, column);
  p.gram = gram;
  p.covariances = covariances;
  p.length = length;
  closed_form_pass(network_.activation).tangent({p, tangents, rates_.weights.data(), rates_.biases.data()});
}

void TangentPass::run_table(const double* gram, double* covariances, double* tangents, Index length, Index first_row,
                            Index column) const {
  thread_local std::vector<double> values, slopes;
  values.resize(static_cast<std::size_t>(length));
  slopes.resize(static_cast<std::size_t>(length));
  for (Index k = 0; k < length; ++k) {
    const double product = gram[k];
    covariances[k] = product * (priors_.weights[0] / features_) + priors_.biases[0];
    tangents[k] = product * rates_.weights[0] + rates_.biases[0];
  }
  for (Index l = 0; l < variances_.depth(); ++l) {
    TableArguments layer = table_arguments(tables_->value, variances_, first_row, variances_, column, l);
    layer.length = length;
    layer.covariances = covariances;
    layer.values = values.data();
    const std::vector<double>& norms = derivative_norms_[static_cast<std::size_t>(l)];
    layer.second = &tables_->derivative;
    layer.second_row_norms = norms.data() + first_row;
    layer.second_column_norm = norms[static_cast<std::size_t>(column)];
    layer.second_values = slopes.data();
    table_pass(layer);
    const auto next = static_cast<std::size_t>(l + 1);
    const double weight = priors_.weights[next], bias = priors_.biases[next];
    const double rate = rates_.weights[next], bias_rate = rates_.biases[next];
    for (Index k = 0; k < length; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      tangents[k] = tangents[k] * weight * slopes[entry] + rate * values[entry] + bias_rate;
      covariances[k] = values[entry] * weight + bias;
    }
  }
}

Vector TangentPass::diagonal(const Vector& squared_norms) const {
  Vector sums(variances_.size());
  const DiagonalDual dual(network_.activation);
  for (Index i = 0; i < sums.size(); ++i) {
    const Parts parts = diagonal_parts(dual, priors_, variances_, squared_norms[i], i);
    sums[i] = 0.0;
    for (std::size_t l = 0; l < parts.weights.size(); ++l) {
      sums[i] += parts.weights[l] * rates_.weights[l] + parts.biases[l] * rates_.biases[l];
    }
  }
  return sums;
}

void packed_tangent(const TangentPass& pass, const PackedSymmetric& gram, PackedSymmetric& covariance,
                    PackedSymmetric& tangent) {
  const Vector diagonal = pass.diagonal(gram_diagonal(gram));
  LoopError error;
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < gram.columns(); ++c) {
    for (const PackedRun& run : gram.runs(c)) {
      error.guard([&] {
        pass.run(gram.values() + run.offset, covariance.values() + run.offset, tangent.values() + run.offset,
                 run.length, run.first_row, run.column);
      });
    }
  }
  error.rethrow();
  for (Index i = 0; i < covariance.size(); ++i) {
    covariance(i, i) = pass.variances().output(i);
    tangent(i, i) = diagonal[i];
  }
}

}  // namespace priorfit

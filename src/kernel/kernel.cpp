#include "priorfit/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/tangent.hpp"
#include "linalg/fits.hpp"
#include "priorfit/error.hpp"
#include "support/loop_error.hpp"

namespace priorfit {
using namespace internal;
namespace {

void check_inputs(const char* name, const MatrixView& inputs) {
  if (inputs.cols() == 0) throw Error(ErrorKind::usage, fmt::format("{} has no columns", name));
  for (Index i = 0; i < inputs.rows(); ++i) {
    for (Index j = 0; j < inputs.cols(); ++j) {
      if (!std::isfinite(inputs(i, j))) {
        throw Error(ErrorKind::data, fmt::format("{}({}, {}) is {}: inputs must be finite", name, i, j, inputs(i, j)));
      }
    }
  }
}

/// So many packed matrices, and one that is not.
void check_dense(Index samples, int packed) {
  require_memory("the kernel", samples, [&](Index n) {
    const double size = static_cast<double>(n);
    return sizeof(double) * size * (size + packed * (size + 1) / 2);
  });
}

Matrix unpacked(const PackedSymmetric& packed) {
  Matrix full(packed.size(), packed.size());
  for (Index i = 0; i < full.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) full(i, j) = full(j, i) = packed(i, j);
  }
  return full;
}

Vector squared_norms(const MatrixView& inputs) { return inputs.rowwise().squaredNorm(); }

double table_value(const FunctionTable& table, double a, double b, double c) {
  const TableRows row(table, {&a, 1}), column(table, {&b, 1});
  double value = 0.0;
  internal::table_pass(
      {.step = {.length = 1, .covariances = &c, .row_variances = &a, .column_variance = b, .next = &value},
       .table = &table,
       .row_panels = row.panels.data(),
       .row_terms = row.terms.data(),
       .row_norms = row.norms.data(),
       .column_panel = column.panels[0],
       .column_terms = column.terms.data(),
       .column_norm = column.norms[0]});
  return value;
}

Dual table_dual(const Activation& activation, double a, double b, double c) {
  const auto tables = ActivationTables::of(activation);
  return {table_value(tables->value, a, b, c), table_value(tables->derivative, a, b, c)};
}

}  // namespace

Dual dual(const Activation& activation, double a, double b, double c) {
  if (!(a >= 0 && b >= 0 && std::isfinite(a) && std::isfinite(b) && std::isfinite(c))) {
    throw Error(ErrorKind::usage,
                fmt::format("dual of (a, b, c) = ({}, {}, {}): variances must be finite and at least 0", a, b, c));
  }
  // Rounding in the bound itself must not move a c just inside it.
  const double largest = std::sqrt(a) * std::sqrt(b) * (1 + 4 * std::numeric_limits<double>::epsilon());
  const double inside = std::clamp(c, -largest, largest);
  if (is_tabulated(activation)) return table_dual(activation, a, b, inside);
  Dual result;
  double next = 0.0;
  internal::closed_form_step(activation)({.length = 1,
                                          .covariances = &inside,
                                          .row_variances = &a,
                                          .column_variance = b,
                                          .negative_slope = activation.negative_slope(),
                                          .next = &next,
                                          .values = &result.value,
                                          .by_covariance = &result.derivative});
  return result;
}

Matrix tangent_kernel(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs) {
  prior.validate();
  return tangent_kernel(network, layer_priors(prior, network), inputs);
}

Matrix tangent_kernel(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs) {
  network.validate();
  check_layers(layers, network);
  check_inputs("inputs", inputs);
  check_dense(inputs.rows(), 2);
  PackedSymmetric gram(inputs.rows()), tangent(inputs.rows());
  packed_gram(inputs, gram);
  const LayerPriors priors(layers);
  const LayerVariances variances(network, priors, inputs.cols(), gram_diagonal(gram));
  variances.require_success();
  packed_tangent(TangentPass(network, priors, gradient_descent_rates(network), inputs.cols(), variances), gram, gram,
                 tangent);
  return unpacked(tangent);
}

Matrix covariance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs) {
  prior.validate();
  return covariance(network, layer_priors(prior, network), inputs);
}

Matrix covariance(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs) {
  network.validate();
  check_layers(layers, network);
  check_inputs("inputs", inputs);
  check_dense(inputs.rows(), 1);
  PackedSymmetric packed(inputs.rows());
  packed_gram(inputs, packed);
  const LayerPriors priors(layers);
  const LayerVariances variances(network, priors, inputs.cols(), gram_diagonal(packed));
  variances.require_success();
  packed_covariance(network, priors, inputs.cols(), variances, 0.0, packed, packed);
  return unpacked(packed);
}

Matrix cross_covariance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& rows,
                        const MatrixView& columns) {
  network.validate();
  prior.validate();
  check_inputs("rows", rows);
  check_inputs("columns", columns);
  if (rows.cols() != columns.cols()) {
    throw Error(ErrorKind::usage, fmt::format("rows have {} features and columns {}", rows.cols(), columns.cols()));
  }
  Matrix block = rows * columns.transpose();
  const LayerVariances row_variances(network, prior, rows.cols(), squared_norms(rows));
  const LayerVariances column_variances(network, prior, rows.cols(), squared_norms(columns));
  row_variances.require_success();
  column_variances.require_success();
  const CovariancePass pass(network, LayerPriors(network, prior), rows.cols(), column_variances, row_variances);
  LoopError error;
#pragma omp parallel for schedule(dynamic, 8)
  for (Index i = 0; i < block.rows(); ++i) {
    double* row = block.row(i).data();
    error.guard([&] { pass.run(row, row, block.cols(), 0, i); });
  }
  error.rethrow();
  return block;
}

Vector variance(const NetworkSpec& network, const LayerPrior& prior, const MatrixView& inputs) {
  return variance(network, layer_priors(prior, network), inputs);
}

Vector variance(const NetworkSpec& network, const std::vector<LayerPrior>& layers, const MatrixView& inputs) {
  network.validate();
  check_layers(layers, network);
  check_inputs("inputs", inputs);
  const LayerVariances variances(network, LayerPriors(layers), inputs.cols(), squared_norms(inputs));
  variances.require_success();
  Vector diagonal(inputs.rows());
  for (Index i = 0; i < inputs.rows(); ++i) diagonal[i] = variances.output(i);
  return diagonal;
}

}  // namespace priorfit

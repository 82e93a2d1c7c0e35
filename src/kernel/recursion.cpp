#include "kernel/recursion.hpp"

#include <cmath>

#include "kernel/quadrature.hpp"

namespace priorfit::internal {
namespace {

/// ½ φ″(0) E[φ(v)], the derivative of the dual in a variance that is 0, at each other variance b; 0 where φ has a kink
/// at 0, since the dual then grows as √a. Empty where no variance is 0.
std::vector<double> slopes_at_zero(const Activation& activation, std::span<const double> variances) {
  if (std::find(variances.begin(), variances.end(), 0.0) == variances.end()) return {};
  std::vector<double> slopes(variances.size(), 0.0);
  constexpr double step = 1e-4;
  const double jump = activation.derivative(step * step) - activation.derivative(-step * step);
  if (std::abs(jump) > step) return slopes;
  const double curvature = (activation.derivative(step) - activation.derivative(-step)) / (2 * step);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double deviation = std::sqrt(variances[i]);
    const QuadratureRule rule = half_gaussian_rule(deviation);
    double mean = 0.0;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      const double x = deviation * rule.nodes[k];
      mean += rule.weights[k] * (activation(x) + activation(-x));
    }
    slopes[i] = 0.5 * curvature * mean;
  }
  return slopes;
}

}  // namespace

LayerStep closed_form_step(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::relu: return relu_step;
    case Activation::Kind::leaky_relu:
    case Activation::Kind::abs:
    case Activation::Kind::identity: return two_slope_step;
    case Activation::Kind::erf: return erf_step;
    case Activation::Kind::gelu: return gelu_step;
    case Activation::Kind::sin: return sin_step;
    case Activation::Kind::cos: return cos_step;
    default: return nullptr;
  }
}

bool slopes_are_logarithmic(const Activation& activation) {
  switch (activation.kind()) {
    case Activation::Kind::erf:
    case Activation::Kind::gelu:
    case Activation::Kind::sin:
    case Activation::Kind::cos: return false;
    default: return true;
  }
}

LayerDuals::LayerDuals(const Activation& activation, const LayerVariances& rows, const LayerVariances& columns,
                       Derivatives derivatives)
    : negative_slope_(activation.negative_slope()),
      closed_form_(closed_form_step(activation)),
      tables_(is_tabulated(activation) ? ActivationTables::of(activation) : nullptr),
      rows_(rows),
      columns_(columns) {
  if (!tables_) return;
  for (Index l = 0; l < rows.depth(); ++l) {
    prepare_blocks(tables_->value, rows.table_rows(l), columns.table_rows(l));
    if (derivatives == Derivatives::none) continue;
    prepare_blocks(tables_->derivative, rows.table_rows(l), columns.table_rows(l));
    slopes_.emplace_back(*tables_, rows.span(l));
    if (derivatives == Derivatives::by_everything) at_zero_.push_back(slopes_at_zero(activation, rows.span(l)));
  }
}

void LayerDuals::take(StepArguments& step, Index l, Index first_row, Index column) const {
  step.row_variances = rows_.layer(l) + first_row;
  step.column_variance = columns_.at(l, column);
  step.negative_slope = negative_slope_;
  if (closed_form_) return closed_form_(step);
  take_from_tables(step, l, first_row, column);
  if (!step.by_row || at_zero_[static_cast<std::size_t>(l)].empty()) return;
  const double* at_zero = at_zero_[static_cast<std::size_t>(l)].data();
  for (Index k = 0; k < step.length; ++k) {
    if (step.row_variances[k] == 0) step.by_row[k] = at_zero[column];
    if (step.column_variance == 0) step.by_column[k] = at_zero[first_row + k];
  }
}

void LayerDuals::take_from_tables(const StepArguments& step, Index l, Index first_row, Index column) const {
  constexpr Index terms = FunctionTable::variance_terms;
  const TableRows &of_rows = rows_.table_rows(l), &of_columns = columns_.table_rows(l);
  const auto entry = static_cast<std::size_t>(column);
  TableArguments p{.step = step,
                   .table = &tables_->value,
                   .row_panels = of_rows.panels.data() + first_row,
                   .row_terms = of_rows.terms.data() + first_row * terms,
                   .row_norms = of_rows.norms.data() + first_row,
                   .column_panel = of_columns.panels[entry],
                   .column_terms = of_columns.terms.data() + column * terms,
                   .column_norm = of_columns.norms[entry]};
  if (step.by_covariance) {
    const TableSlopes& slopes = slopes_[static_cast<std::size_t>(l)];
    p.slope = &tables_->derivative;
    p.slope_row_norms = slopes.derivative_norms.data() + first_row;
    p.slope_column_norm = slopes.derivative_norms[entry];
    p.row_term_slopes = slopes.terms.data() + first_row * terms;
    p.column_term_slopes = slopes.terms.data() + column * terms;
    p.row_growth = slopes.by_log_q.data() + first_row;
    p.column_growth = slopes.by_log_q[entry];
  }
  table_pass(p);
}

}  // namespace priorfit::internal

#include "kernel/recursion.hpp"

namespace priorfit::internal {

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
  }
}

void LayerDuals::take(StepArguments& step, Index l, Index first_row, Index column) const {
  step.row_variances = rows_.layer(l) + first_row;
  step.column_variance = columns_.at(l, column);
  step.negative_slope = negative_slope_;
  if (closed_form_) return closed_form_(step);
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

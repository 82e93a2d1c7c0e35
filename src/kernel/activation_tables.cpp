#include "kernel/activation_tables.hpp"

#include <algorithm>
#include <mutex>

#include "model/activation_values.hpp"

namespace priorfit::internal {
namespace {

/// s, or s/σ for an odd function, whose dual is that times c.
double scale_of(const FunctionTable& table, double variance) {
  const Norm norm = table.norm(variance);
  return table.parity() == FunctionTable::Parity::odd ? norm.per_deviation : norm.value;
}

}  // namespace

ActivationTables::ActivationTables(const Activation& of)
    : activation(of),
      value(
          of.name(), [of](std::span<const double> x, double* out) { activation_values(of, x, out); }, value_tolerance),
      derivative(
          of.name(), [of](std::span<const double> x, double* out) { activation_slopes(of, x, out); },
          derivative_tolerance) {}

std::shared_ptr<const ActivationTables> ActivationTables::of(const Activation& activation) {
  // A program that makes custom activations without end must not fill the memory with their tables.
  constexpr std::size_t most_kept = 16;
  static std::mutex mutex;
  static std::vector<std::shared_ptr<const ActivationTables>> kept;
  const std::lock_guard lock(mutex);
  for (const auto& tables : kept) {
    if (tables->activation == activation) return tables;
  }
  if (kept.size() == most_kept) kept.erase(kept.begin());
  kept.push_back(std::make_shared<const ActivationTables>(activation));
  return kept.back();
}

bool is_tabulated(const Activation& activation) { return activation.kind() >= Activation::Kind::tanh; }

TableRows::TableRows(const FunctionTable& table, std::span<const double> variances) {
  constexpr std::size_t n = FunctionTable::variance_terms;
  panels.resize(variances.size());
  terms.resize(variances.size() * n);
  norms.resize(variances.size());
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const PanelPosition at = FunctionTable::position(variances[i]);
    panels[i] = static_cast<std::uint8_t>(at.panel);
    FunctionTable::chebyshev(at.x, terms.data() + i * n);
    norms[i] = scale_of(table, variances[i]);
  }
}

TableSlopes::TableSlopes(const ActivationTables& tables, std::span<const double> variances) {
  constexpr std::size_t n = FunctionTable::variance_terms;
  terms.resize(variances.size() * n);
  by_log_q.resize(variances.size());
  derivative_norms.resize(variances.size());
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const PanelPosition at = FunctionTable::position(variances[i]);
    FunctionTable::chebyshev_slopes(at.x, terms.data() + i * n);
    for (std::size_t m = 0; m < n; ++m) terms[i * n + m] *= at.x_by_log_q;
    by_log_q[i] = tables.value.norm(variances[i]).by_log_q;
    derivative_norms[i] = scale_of(tables.derivative, variances[i]);
  }
}

void prepare_blocks(const FunctionTable& table, const TableRows& rows, const TableRows& columns) {
  std::array<bool, FunctionTable::panels> row_has{}, column_has{};
  for (const std::uint8_t panel : rows.panels) row_has[panel] = true;
  for (const std::uint8_t panel : columns.panels) column_has[panel] = true;
  for (int a = 0; a < FunctionTable::panels; ++a) {
    for (int b = 0; b < FunctionTable::panels; ++b) {
      if (row_has[a] && column_has[b]) table.block(a, b);
    }
  }
}

}  // namespace priorfit::internal

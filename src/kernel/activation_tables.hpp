// The tables of one activation, shared by all who use it, and where a set of variances lies in them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel/function_table.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit::internal {

/// Of the truncated series, relative to s(a) s(b): checked when a table is made. The whole error of a dual, measured
/// for the known activations and variances from 1e-4 to 1000, is below 2e-10 s(a) s(b) (docs/math.md).
inline constexpr double value_tolerance = 2e-9;
inline constexpr double derivative_tolerance = 2e-8;

struct ActivationTables {
  explicit ActivationTables(const Activation& of);

  Activation activation;
  FunctionTable value;       // φ
  FunctionTable derivative;  // φ′

  /// The tables of `activation`, made at the first call and kept; safe from any thread.
  static std::shared_ptr<const ActivationTables> of(const Activation& activation);
};

/// Whether the dual of `activation` comes from tables.
bool is_tabulated(const Activation& activation);

/// A layer's variances as the table pass wants them.
struct TableRows {
  std::vector<std::uint8_t> panels;
  std::vector<double> terms;  // inputs × variance_terms: T_m(x)
  std::vector<double> norms;  // s, or s/σ for odd φ

  TableRows(const FunctionTable& table, std::span<const double> variances);
};

/// What derivatives need besides.
struct TableSlopes {
  std::vector<double> terms;             // inputs × variance_terms: dT_m(x)/d log q
  std::vector<double> by_log_q;          // d log s / d log q
  std::vector<double> derivative_norms;  // of φ′

  TableSlopes(const ActivationTables& tables, std::span<const double> variances);
};

/// Makes the blocks that pairs of a row and a column need, with all threads.
void prepare_blocks(const FunctionTable& table, const TableRows& rows, const TableRows& columns);

}  // namespace priorfit::internal

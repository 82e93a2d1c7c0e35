// One layer of the recursion M1 from tables: E[f(u)f(v)] of a run of rows against one column.
#pragma once

#include <cstdint>

#include "kernel/function_table.hpp"
#include "kernel/layer_step.hpp"

namespace priorfit::internal {

struct TableArguments {
  StepArguments step;
  const FunctionTable* table;
  const std::uint8_t* row_panels;
  const double* row_terms;  // TableRows::terms of the first row
  const double* row_norms;
  int column_panel;
  const double* column_terms;
  double column_norm;
  // Only where the step wants derivatives: the function's own derivative, which shares the angles.
  const FunctionTable* slope = nullptr;
  const double* slope_row_norms = nullptr;
  double slope_column_norm = 0.0;
  // Only where it wants them by variance, from TableSlopes: the terms' derivatives and d log s / d log q.
  const double* row_term_slopes = nullptr;
  const double* column_term_slopes = nullptr;
  const double* row_growth = nullptr;
  double column_growth = 0.0;
};

void table_pass(const TableArguments& arguments);

}  // namespace priorfit::internal

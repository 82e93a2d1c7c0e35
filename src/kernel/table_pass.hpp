// One layer of the recursion M1 from tables: E[f(u)f(v)] of a run of rows against one column.
#pragma once

#include <cstdint>

#include "kernel/function_table.hpp"

namespace priorfit {

struct TableArguments {
  const FunctionTable* table;
  Index length;
  const double* covariances;  // c of each row with the column
  const double* row_variances;
  const std::uint8_t* row_panels;
  const double* row_terms;  // TableRows::terms of the first row
  const double* row_norms;
  double column_variance;
  int column_panel;
  const double* column_terms;
  double column_norm;
  double* values;  // may equal covariances
  // Only for derivatives, else null: of the series g in log a and log b at a fixed angle, times what makes E of g.
  const double* row_slopes = nullptr;
  const double* column_slopes = nullptr;
  double* by_row = nullptr;
  double* by_column = nullptr;
  // Only for a second function at the same places, else null: it shares the angles.
  const FunctionTable* second = nullptr;
  const double* second_row_norms = nullptr;
  double second_column_norm = 0.0;
  double* second_values = nullptr;
};

void table_pass(const TableArguments& arguments);

}  // namespace priorfit

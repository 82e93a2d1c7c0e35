// Text tables and JSON Lines as data sets.
#pragma once

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

Dataset load_table(const LoadOptions& options);

/// From text that is at hand; `options.source` names it.
Dataset table_dataset(std::string_view text, const LoadOptions& options);

/// The columns that were used before, with the readings they had.
struct TableShape {
  std::vector<Column> columns;  // those used, in the order of inputs
  bool header = false;
  TableDialect dialect;
  std::string target;
  Index target_position = 0;
  bool target_is_date = false;
  Task task = Task::regression;
  std::vector<std::string> classes;
};

/// Rows read by that shape. Levels that it does not know get a place behind those it knows; a label is -1 where it is
/// missing and the number of classes where it is not known, and such names are added to the output names. Without its
/// target column the rows have no targets.
Dataset load_table_like(const TableShape& shape, const LoadOptions& options);

/// Takes out rows of such a data set that have no target. Throws Error(data) naming a class that is not known.
void drop_unusable(Dataset& dataset);

}  // namespace priorfit::internal

// What the tests of tables share.
#pragma once

#include "helpers.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit::test {

/// A table of this text, t.csv.
inline Dataset load_text(std::string_view text, const TableOptions& table = {},
                         std::optional<Task> task = Task::regression, const std::string& target = "") {
  const Scratch folder;
  return load_dataset({.source = folder.file("t.csv", text), .target_column = target, .task = task, .table = table});
}

}  // namespace priorfit::test

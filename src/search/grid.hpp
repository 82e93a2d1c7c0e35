// Every cell of a grid, judged.
#pragma once

#include "priorfit/search.hpp"

namespace priorfit::internal {

/// Counts steps whose number is known and reports each.
class StepCounter {
 public:
  StepCounter(const RunContext& context, std::size_t total, std::string what)
      : context_(context), total_(total), what_(std::move(what)) {}
  void step();

 private:
  const RunContext& context_;
  std::size_t done_ = 0, total_;
  std::string what_;
};

/// weight × bias × output variances, the last fastest. Output variances only where the grid has some.
std::vector<Candidate> grid_cells(const NetworkSpec& network, const GridSearch& grid);

/// Judges all cells, those of one ratio of the variances after each other: a criterion may share work along a ray.
void judge_cells(std::vector<Candidate>& cells, Criterion& criterion, const RunContext& context, StepCounter& counter);

/// Sides of the grid that a cell lies on.
std::vector<BoundReached> edges_of(const Candidate& cell, const GridSearch& grid);

/// The best score near `start`, at a few evaluations more, by a search without gradients within the family's bounds.
Candidate refine(Criterion& criterion, const Family& family, const Candidate& start, const RunContext& context);

}  // namespace priorfit::internal

// What the evaluations of a search cost, and how far it is.
#pragma once

#include <string>

#include "priorfit/context.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// Counts work, tells the caller how far it is and lets him cancel. Shared by the samples of one search.
class WorkMeter {
 public:
  void factorization(Index samples) { ++cost_.factorizations, add(samples, 1.0); }
  void gradient(Index samples) { ++cost_.gradients, add(samples, 2.5); }
  void reduction(Index samples) { ++cost_.reductions, add(samples, 5.0); }
  /// whole: samples whose factorisation is the unit
  SearchCost cost(Index whole) const;

  /// What is being done from here on, and whom to tell.
  void begin_stage(const RunContext& context, std::string text);
  /// Reports progress; throws Error(interrupted) when the caller cancels. Silent outside of stages, where whoever runs
  /// the whole reports.
  void step();
  void end_stage() { stage_.clear(); }

 private:
  void add(Index samples, double equivalents);

  RunContext context_;
  SearchCost cost_;
  double cubes_ = 0.0;  // Σ equivalents · samples³
  std::string stage_;
  int steps_ = 0;
};

}  // namespace priorfit::internal

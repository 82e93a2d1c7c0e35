#include "criteria/work_meter.hpp"

#include <fmt/format.h>

#include <cmath>

namespace priorfit::internal {

void WorkMeter::add(Index samples, double equivalents) {
  cubes_ += equivalents * std::pow(static_cast<double>(samples), 3.0);
}

SearchCost WorkMeter::cost(Index whole) const {
  SearchCost cost = cost_;
  cost.equivalents = cubes_ / std::pow(static_cast<double>(whole), 3.0);
  return cost;
}

void WorkMeter::begin_stage(const RunContext& context, std::string text) {
  context_ = context;
  stage_ = std::move(text);
  steps_ = 0;
  step();
}

void WorkMeter::step() {
  if (stage_.empty()) return;
  const int done = steps_++;
  context_.report(
      {.stage = done == 0 ? stage_ : fmt::format("{}, {} evaluation{}", stage_, done, done == 1 ? "" : "s")});
}

}  // namespace priorfit::internal

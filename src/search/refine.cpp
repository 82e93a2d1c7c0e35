#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlopt.hpp>

#include "search/grid.hpp"
#include "search/space.hpp"

namespace priorfit::internal {
namespace {

constexpr std::size_t usual_evaluations = 15;
constexpr double first_step = 0.3;  // in the logarithms
constexpr double smallest_step = 0.02;
constexpr double no_bias = 1e-6;  // a bias variance below is none

/// What NLopt's callback needs.
struct Refinement {
  Criterion& criterion;
  const Family& family;
  const SearchSpace& space;
  const RunContext& context;
  StepCounter& counter;
  bool larger_is_better;
  Candidate best;
  std::exception_ptr thrown = {};

  Initialisation start_at(const std::vector<double>& t) const {
    std::vector<double> values;
    for (Index i = 0; i < space.nuisance(); ++i) {
      double value = std::max(0.0, std::exp(t[static_cast<std::size_t>(i)]) - space.offset(i));
      if (space.offset(i) > 0 && value < no_bias) value = 0.0;
      values.push_back(value);
    }
    return family.at(values);
  }

  double cost_at(const std::vector<double>& t) {
    Candidate candidate{.start = start_at(t)};
    candidate.set(criterion.name(), criterion.judge(candidate.start, context));
    counter.step();
    const Score& score = *candidate.find(criterion.name());
    if (!score.ok()) return HUGE_VAL;
    const double sign = larger_is_better ? -1.0 : 1.0;
    if (sign * score.value() < sign * best.find(criterion.name())->value()) best = candidate;
    // Losses are positive and vary by factors; others are taken as they are.
    return larger_is_better ? -score.value() : std::log(std::max(score.value(), 1e-12));
  }
};

double call(const std::vector<double>& t, std::vector<double>&, void* data) {
  Refinement& refinement = *static_cast<Refinement*>(data);
  try {
    return refinement.cost_at(t);
  } catch (...) {
    refinement.thrown = std::current_exception();  // NLopt would replace it with its own
    throw nlopt::forced_stop();
  }
}

}  // namespace

Candidate refine(Criterion& criterion, const Family& family, const Candidate& start, const RunContext& context) {
  const SearchSpace space(family, {"", {1.0, 1.0}, true});
  const Point point = space.to_point({start.start, 1.0});
  std::vector<double> t, lower, upper;
  for (Index i = 0; i < space.nuisance(); ++i) {  // the grid may be wider than the bounds
    t.push_back(point[i]);
    lower.push_back(std::min(space.lower(i), point[i]));
    upper.push_back(std::max(space.upper(i), point[i]));
  }
  const std::size_t evaluations = t.size() <= 3 ? usual_evaluations : 6 * t.size();
  StepCounter counter(context, evaluations, "refinements");
  Refinement refinement{criterion, family, space, context, counter, find_criterion(criterion.name()).larger_is_better,
                        start};
  nlopt::opt search(nlopt::LN_BOBYQA, static_cast<unsigned>(t.size()));
  search.set_lower_bounds(lower);
  search.set_upper_bounds(upper);
  search.set_min_objective(call, &refinement);
  search.set_initial_step(first_step);
  search.set_xtol_abs(smallest_step);
  search.set_maxeval(static_cast<int>(evaluations));
  try {
    double value = 0.0;
    search.optimize(t, value);
  } catch (const nlopt::forced_stop&) {
  } catch (const nlopt::roundoff_limited&) {  // best holds what was found
  } catch (const std::runtime_error&) {       // NLopt's own trouble: likewise
  }
  if (refinement.thrown) std::rethrow_exception(refinement.thrown);
  return refinement.best;
}

}  // namespace priorfit::internal

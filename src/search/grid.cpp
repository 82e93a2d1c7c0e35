#include "search/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace priorfit::internal {
namespace {

void add_edge(std::vector<BoundReached>& edges, const std::string& name, double value, const std::vector<double>& list,
              bool bias) {
  if (list.size() < 2) return;
  if (value == list.front()) edges.push_back({name, value, false, bias && value == 0});
  if (value == list.back()) edges.push_back({name, value, true, false});
}

std::vector<std::size_t> by_ratio(const std::vector<Candidate>& cells) {
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ratio = [&](std::size_t i) {
    const LayerPrior& first = cells[i].start.layers.front();
    return first.bias_variance / first.weight_variance;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ratio(a) < ratio(b); });
  return order;
}

}  // namespace

void StepCounter::step() {
  ++done_;
  context_.report({.stage = fmt::format("{} of {} {}", done_, total_, what_),
                   .fraction = static_cast<double>(done_) / static_cast<double>(total_)});
}

std::vector<Candidate> grid_cells(const NetworkSpec& network, const GridSearch& grid) {
  std::vector<Candidate> cells;
  for (const double weight : grid.weight_variances) {
    for (const double bias : grid.bias_variances) {
      const LayerPrior pair{weight, bias};
      if (grid.output_weight_variances.empty()) cells.push_back({.start = Initialisation::tied(network, pair)});
      for (const double output : grid.output_weight_variances) {
        cells.push_back({.start = Initialisation::with_output(network, pair, output)});
      }
    }
  }
  return cells;
}

void judge_cells(std::vector<Candidate>& cells, Criterion& criterion, const RunContext& context, StepCounter& counter) {
  for (const std::size_t i : by_ratio(cells)) {
    cells[i].set(criterion.name(), criterion.judge(cells[i].start, context));
    counter.step();
  }
}

std::vector<BoundReached> edges_of(const Candidate& cell, const GridSearch& grid) {
  std::vector<BoundReached> edges;
  const LayerPrior& hidden = cell.start.layers.front();
  add_edge(edges, "weight_variance", hidden.weight_variance, grid.weight_variances, false);
  add_edge(edges, "bias_variance", hidden.bias_variance, grid.bias_variances, true);
  add_edge(edges, "output_weight_variance", cell.start.layers.back().weight_variance, grid.output_weight_variances,
           false);
  return edges;
}

}  // namespace priorfit::internal

#include "experiment/plan.hpp"

#include <algorithm>

namespace priorfit {

bool same_prior(const Prior& a, const Prior& b) {
  return a.weight_variance == b.weight_variance && a.bias_variance == b.bias_variance;
}

std::vector<Prior> grid_priors(const ExperimentSpecification& specification) {
  std::vector<Prior> priors;
  for (const double weight : specification.weight_variances) {
    for (const double bias : specification.bias_variances) priors.push_back({weight, bias});
  }
  return priors;
}

std::vector<Prior> all_priors(const ExperimentSpecification& specification) {
  std::vector<Prior> priors = grid_priors(specification);
  const auto is_he = [](const Prior& prior) { return same_prior(prior, he_prior); };
  if (std::none_of(priors.begin(), priors.end(), is_he)) priors.push_back(he_prior);
  return priors;
}

std::vector<Cell> planned_cells(const ExperimentSpecification& specification) {
  std::vector<Cell> cells;
  const std::vector<Prior> priors = all_priors(specification);
  for (const Index size : specification.sizes) {
    for (const Prior& prior : priors) cells.push_back({0, CellKind::evidence, size, prior, 0});
    for (Index s = 0; s < specification.seeds; ++s) {
      const std::uint64_t seed = specification.seed + static_cast<std::uint64_t>(s);
      for (const Prior& prior : priors) cells.push_back({0, CellKind::training, size, prior, seed});
    }
  }
  return cells;
}

double cell_cost(const Cell& cell, const ExperimentSpecification& specification, Index features, Index outputs,
                 Index test_rows) {
  const auto rows = static_cast<double>(cell.size);
  if (cell.kind == CellKind::evidence) return rows * rows * (rows / 3 + 100);
  double parameters = 0;
  Index inputs = features;
  for (const Index width : specification.network.hidden_widths) {
    parameters += static_cast<double>(inputs * width);
    inputs = width;
  }
  parameters += static_cast<double>(inputs * outputs);
  // Forward and backward pass over the training rows, forward over the test rows; float is twice as fast as double.
  return static_cast<double>(specification.epochs) * parameters * (3 * rows + static_cast<double>(test_rows));
}

}  // namespace priorfit

#include "experiment/plan.hpp"

#include <algorithm>

namespace priorfit {

std::vector<LayerPrior> grid_priors(const ExperimentSpecification& specification) {
  std::vector<std::optional<double>> outputs = {std::nullopt};
  if (!specification.output_weight_variances.empty()) {
    outputs.assign(specification.output_weight_variances.begin(), specification.output_weight_variances.end());
  }
  std::vector<LayerPrior> priors;
  for (const double weight : specification.weight_variances) {
    for (const double bias : specification.bias_variances) {
      for (const std::optional<double>& output : outputs) priors.push_back({weight, bias, output});
    }
  }
  return priors;
}

std::vector<Initialisation> all_starts(const ExperimentSpecification& specification) {
  std::vector<Initialisation> starts;
  const auto add = [&](const Initialisation& start) {
    if (std::find(starts.begin(), starts.end(), start) == starts.end()) starts.push_back(start);
  };
  for (const LayerPrior& prior : grid_priors(specification)) add(prior);
  add(he_prior);
  for (const InitialScheme scheme : specification.schemes) add(scheme);
  return starts;
}

std::vector<Cell> planned_cells(const ExperimentSpecification& specification) {
  std::vector<Cell> cells;
  const std::vector<Initialisation> starts = all_starts(specification);
  for (const Index size : specification.sizes) {
    for (const Initialisation& start : starts) cells.push_back({0, CellKind::evidence, size, start, 0});
    for (Index s = 0; s < specification.seeds; ++s) {
      const std::uint64_t seed = specification.seed + static_cast<std::uint64_t>(s);
      for (const Initialisation& start : starts) cells.push_back({0, CellKind::training, size, start, seed});
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
  const auto epochs = static_cast<double>(specification.epochs);
  const double tests =
      specification.evaluate_every == 0 ? 1 : epochs / static_cast<double>(specification.evaluate_every);
  return parameters * (epochs * 3 * rows + tests * static_cast<double>(test_rows));
}

}  // namespace priorfit

#include "experiment/plan.hpp"

#include <algorithm>

#include "search/grid.hpp"

namespace priorfit::internal {

RecommendOptions judging_options(const ExperimentSpecification& specification) {
  RecommendOptions options;
  const bool own_output = !specification.output_weight_variances.empty();
  options.family = own_output ? FamilyKind::output : FamilyKind::tied;
  options.search = GridSearch{.weight_variances = specification.weight_variances,
                              .bias_variances = specification.bias_variances,
                              .output_weight_variances = specification.output_weight_variances};
  const std::optional<double>& noise = specification.noise_variance;
  options.noise = noise ? NoiseChoice::at(*noise) : NoiseChoice::fit();
  options.risk = specification.prediction;
  return options;
}

std::vector<Candidate> grid_of(const ExperimentSpecification& specification) {
  return grid_cells(specification.network, std::get<GridSearch>(judging_options(specification).search));
}

std::vector<Initialisation> all_starts(const ExperimentSpecification& specification, const NetworkShape& shape) {
  std::vector<Initialisation> starts;
  const auto add = [&](const Initialisation& start) {
    const auto same = [&](const Initialisation& known) { return same_start(known, start); };
    if (std::none_of(starts.begin(), starts.end(), same)) starts.push_back(start);
  };
  const auto add_scheme = [&](InitialScheme scheme) {
    add(Initialisation::named(scheme, shape.network, shape.features, shape.outputs));
  };
  for (const Candidate& cell : grid_of(specification)) add(cell.start);
  add_scheme(InitialScheme::he);
  for (const InitialScheme scheme : specification.schemes) add_scheme(scheme);
  return starts;
}

std::vector<Cell> planned_cells(const ExperimentSpecification& specification, const NetworkShape& shape) {
  std::vector<std::string> keys;
  for (const Initialisation& start : all_starts(specification, shape)) keys.push_back(start_key(start));
  std::vector<Cell> cells;
  const auto add = [&](const char* kind, Index size, std::uint64_t seed) {
    for (const std::string& key : keys) {
      cells.push_back({.kind = kind, .size = size, .start = key, .seed = seed});
    }
  };
  for (const Index size : specification.sizes) {
    add(evidence_kind, size, 0);
    for (Index s = 0; s < specification.seeds; ++s) {
      add(training_kind, size, specification.seed + static_cast<std::uint64_t>(s));
    }
  }
  return cells;
}

double cell_cost(const Cell& cell, const ExperimentSpecification& specification, const NetworkShape& shape,
                 Index test_rows) {
  const auto rows = static_cast<double>(cell.size);
  if (cell.kind == evidence_kind) return rows * rows * (rows / 3 + 100);
  if (cell.kind != training_kind) return rows * rows * (rows + 300);  // a prediction inverts what evidence factors
  double parameters = 0;
  const std::vector<Index> sizes = layer_sizes(shape.network, shape.features, shape.outputs);
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) parameters += static_cast<double>(sizes[l] * sizes[l + 1]);
  // Forward and backward pass over the training rows, forward over the test rows; float is twice as fast as double.
  const auto epochs = static_cast<double>(specification.training.epochs);
  const double tests = specification.training.evaluate_every == 0
                           ? 1
                           : epochs / static_cast<double>(specification.training.evaluate_every);
  return parameters * (epochs * 3 * rows + tests * static_cast<double>(test_rows));
}

}  // namespace priorfit::internal

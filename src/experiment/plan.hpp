// Which cells a specification asks for, in the order they are done, and what each costs.
#pragma once

#include "experiment/start_key.hpp"
#include "experiment/store.hpp"
#include "priorfit/experiment.hpp"
#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// What criteria are asked: the grid, the evidence's noise and how training is predicted.
RecommendOptions judging_options(const ExperimentSpecification& specification);

/// Starts of the grid, not judged yet: weight × bias × output variances, the last fastest.
std::vector<Candidate> grid_of(const ExperimentSpecification& specification);

/// The grid, He's pair when it is not on it, since that rule is measured in any case, and the schemes.
std::vector<Initialisation> all_starts(const ExperimentSpecification& specification, const NetworkShape& shape);

/// Size by size: evidence first, then training, seed by seed.
std::vector<Cell> planned_cells(const ExperimentSpecification& specification, const NetworkShape& shape);

/// In operations, about; for the display of the time left.
double cell_cost(const Cell& cell, const ExperimentSpecification& specification, const NetworkShape& shape,
                 Index test_rows);

}  // namespace priorfit::internal

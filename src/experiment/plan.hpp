// Which cells a specification asks for, in the order they are done, and what each costs.
#pragma once

#include "experiment/store.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit {

inline const LayerPrior he_prior{2.0, 0.0};

/// The grid, weight variance by weight variance.
std::vector<LayerPrior> grid_priors(const ExperimentSpecification& specification);

/// The grid, He's pair when it is not on it, since that rule is measured in any case, and the schemes.
std::vector<Initialisation> all_starts(const ExperimentSpecification& specification);

/// Size by size: evidence first, then training, seed by seed.
std::vector<Cell> planned_cells(const ExperimentSpecification& specification);

/// In operations, about; for the display of the time left.
double cell_cost(const Cell& cell, const ExperimentSpecification& specification, Index features, Index outputs,
                 Index test_rows);

}  // namespace priorfit

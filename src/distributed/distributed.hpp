// Evidence, prediction and experiments by all ranks of an MPI run together: what EvidenceOptions::elsewhere,
// PredictOptions::elsewhere and ExperimentOptions::elsewhere take. Every rank asks the same questions in the same order
// and gets the same answers.
#pragma once

#include <memory>

#include "distributed/world.hpp"
#include "evidence/elsewhere.hpp"
#include "experiment/elsewhere.hpp"
#include "predict/elsewhere.hpp"

namespace priorfit::internal {

/// Below so many samples rank 0 computes alone and tells the others: sending would take longer.
inline constexpr Index smallest_shared = 1000;

/// `world` must outlive them.
std::shared_ptr<EvidenceElsewhere> evidence_of_all(const World& world, Index smallest = smallest_shared);
std::shared_ptr<PredictionElsewhere> prediction_of_all(const World& world);
/// Cells of an experiment among all ranks; rank 0 has the database.
std::shared_ptr<ExperimentElsewhere> experiment_of_all(const World& world);

}  // namespace priorfit::internal

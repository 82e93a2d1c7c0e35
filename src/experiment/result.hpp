// From the database to the result.
#pragma once

#include <filesystem>

#include "experiment/store.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit::internal {

std::filesystem::path database_path(const std::filesystem::path& folder);

/// What the result says of its data, so that it can be read without them.
Entries experiment_facts(const PreparedData& largest);

/// Facts about the data that results are measured with.
struct Yardstick {
  Task task = Task::regression;
  std::optional<double> target_scale = {};  // mean over the outputs; early databases do not have it
};

/// Correlations and prediction error of a size that is complete, and its rows.
void measure_rules(Experiment& experiment, SizeResult& size, const Yardstick& yardstick);

/// What a criterion prefers of these, by scores that are known already; empty while one was not judged or none could
/// be, and for criteria that this process does not know.
const Candidate* preferred_by(const std::string& criterion, const std::vector<Candidate>& candidates);

/// Those of the size's candidates that are on the grid; fewer than the grid has while some were not judged.
std::vector<Candidate> candidates_on_grid(const SizeResult& size, const ExperimentSpecification& specification);

}  // namespace priorfit::internal

// The specification as named values: what is compared between runs and written as TOML.
#pragma once

#include "experiment/store.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit::internal {

/// What a stored experiment means where it does not name a value: it was made before that value could be chosen.
ExperimentSpecification unnamed_values();

/// "training.epochs" -> "250": keys with their section, values as TOML writes them.
Entries specification_entries(const ExperimentSpecification& specification);

/// Sections and keys of `entries`, whose keys are as above.
std::string toml_text(const Entries& entries);

}  // namespace priorfit::internal

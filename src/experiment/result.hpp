// From the database to the result.
#pragma once

#include <filesystem>

#include "experiment/store.hpp"
#include "priorfit/experiment.hpp"

namespace priorfit {

std::filesystem::path database_path(const std::filesystem::path& folder);

/// What the result says of its data, so that it can be read without them.
Entries experiment_facts(const PreparedData& largest);

}  // namespace priorfit

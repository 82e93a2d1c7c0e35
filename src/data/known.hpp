// Data sets that have a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

std::vector<std::string> known_names();

/// `name` is one of known_names(). Error(io) that says how to get it when it is not in `data_folder`.
Dataset load_known(const std::string& name, const std::filesystem::path& data_folder, std::optional<Task> task);

}  // namespace priorfit::internal

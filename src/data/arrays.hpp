// Data sets held as NumPy arrays.
#pragma once

#include <filesystem>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

Dataset load_npy(const std::filesystem::path& inputs, const std::filesystem::path& targets, std::optional<Task> task);

/// The arrays named (inputs and targets, then both of a test split), or X and y (x, Y, X_train and y_train also do),
/// and X_test and y_test when there is a test split.
Dataset load_npz(const std::filesystem::path& path, const std::vector<std::string>& arrays, std::optional<Task> task);

}  // namespace priorfit::internal

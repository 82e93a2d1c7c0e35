// Data sets held as NumPy arrays.
#pragma once

#include <filesystem>

#include "priorfit/dataset.hpp"

namespace priorfit {

Dataset load_npy(const std::filesystem::path& inputs, const std::filesystem::path& targets, std::optional<Task> task);

/// Arrays X and y (or x and Y), and X_test and y_test when there is a test split.
Dataset load_npz(const std::filesystem::path& path, std::optional<Task> task);

}  // namespace priorfit

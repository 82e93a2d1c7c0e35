// Folders of pictures in the layouts their authors publish.
#pragma once

#include <filesystem>

#include "priorfit/dataset.hpp"

namespace priorfit {

/// MNIST's layout: train-images-idx3-ubyte, train-labels-idx1-ubyte and, if there, t10k-…; gzipped or not.
bool is_idx_folder(const std::filesystem::path& folder);
Dataset load_idx_folder(const std::filesystem::path& folder, std::optional<Task> task);

/// CIFAR-10's binary layout: data_batch_1.bin to data_batch_5.bin and, if there, test_batch.bin.
bool is_cifar10_folder(const std::filesystem::path& folder);
Dataset load_cifar10_folder(const std::filesystem::path& folder, std::optional<Task> task);

}  // namespace priorfit

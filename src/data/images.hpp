// Folders of pictures in the layouts their authors publish.
#pragma once

#include <filesystem>

#include "priorfit/dataset.hpp"

namespace priorfit::internal {

/// MNIST's layout: train-images-idx3-ubyte, train-labels-idx1-ubyte and, if there, t10k-…; gzipped or not.
bool is_idx_folder(const std::filesystem::path& folder);
Dataset load_idx_folder(const std::filesystem::path& folder, std::optional<Task> task);

/// CIFAR-10's binary layout: data_batch_1.bin to data_batch_5.bin and, if there, test_batch.bin.
bool is_cifar10_folder(const std::filesystem::path& folder);
Dataset load_cifar10_folder(const std::filesystem::path& folder, std::optional<Task> task);

/// One folder per class with PNG and JPEG files in it; or folders train and test (or val) that hold such folders.
bool is_picture_folder(const std::filesystem::path& folder);
/// Brings all pictures to one size: `wanted`, or the one they share when it is at most 128 × 128, or the middle one of
/// their widths and of their heights, shrunk until no side is above 64. Files that cannot be read are left out and
/// counted. Throws Error(data) when no picture is left.
Dataset load_picture_folder(const std::filesystem::path& folder, std::optional<Task> task, const PictureShape& wanted);

}  // namespace priorfit::internal

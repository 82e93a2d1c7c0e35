// What is needed for a new name in a folder to outlast a power failure.
#pragma once

#include <filesystem>

namespace priorfit::internal {

/// Writes the folder of `path` to the disk, and with it the name that was given there last. AtomicFile does so by
/// itself. Error(io) with the system's reason.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace priorfit::internal

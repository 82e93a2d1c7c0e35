// One process, or one call of a process, at a time: a lock that the system gives back when its holder dies.
#pragma once

#include <filesystem>

namespace priorfit::internal {

/// Holds the lock file `path` for its lifetime; the file is gone afterwards. `purpose` is what messages call the thing
/// that it guards. Throws Error(usage) when someone else holds it, with their process id, or when the file is not such
/// a lock but somebody's; Error(io) when it cannot be made.
class FileLock {
 public:
  FileLock(std::filesystem::path path, const std::string& purpose);
  ~FileLock();
  /// The file of a process that was killed; one that is held, or is no lock, stays.
  static void remove_left_behind(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace priorfit::internal

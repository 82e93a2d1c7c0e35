// One process, or one call of a process, at a time: a lock that the system gives back when its holder dies.
#pragma once

#include <filesystem>

namespace priorfit::internal {

/// Holds the lock file `path` for its lifetime; the file is gone afterwards. `purpose` is what messages call the thing
/// that it guards. Throws Error(usage) when someone else holds it, with their process id; Error(io) when the file
/// cannot be made.
class FileLock {
 public:
  FileLock(std::filesystem::path path, const std::string& purpose);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace priorfit::internal

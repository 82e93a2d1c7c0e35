#include "support/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

/// What a lock file of ours holds: nothing yet, or the number of a process. Empty text for nothing, no text for a file
/// that is somebody's.
std::optional<std::string> process_in(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  if (count < 0) return std::nullopt;
  const std::string id(text.data(), static_cast<std::size_t>(count));
  return id.empty() || (all_digits(id) && id.size() < text.size()) ? std::optional(id) : std::nullopt;
}

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw Error(ErrorKind::io,
              fmt::format("{}: the lock cannot be taken: {}", path.string(), std::generic_category().message(errno)));
}

// The holder before may have removed the file between our opening and our locking it: that lock guards nothing.
bool is_still_at(int descriptor, const std::filesystem::path& path) {
  struct stat held {
  }, there{};
  return fstat(descriptor, &held) == 0 && stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::filesystem::path path, const std::string& purpose) : path_(std::move(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail(path_);
    const std::optional<std::string> process = process_in(descriptor_);
    if (!process) {
      close(descriptor_);
      throw Error(
          ErrorKind::usage,
          fmt::format("{} cannot be locked: '{}' holds something other than a lock of priorfit; move it away, or "
                      "choose another folder",
                      purpose, path_.string()));
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      errno = error;
      if (error != EWOULDBLOCK) fail(path_);
      throw Error(ErrorKind::usage, fmt::format("{} is in use by {}: wait until it is done, or choose another folder",
                                                purpose, process->empty() ? "another process" : "process " + *process));
    }
    if (is_still_at(descriptor_, path_)) break;
    close(descriptor_);
  }
  const std::string id = std::to_string(getpid());
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, id.data(), id.size(), 0) < 0) {
    // The lock holds all the same; only a message would lack the number.
  }
}

void FileLock::remove_left_behind(const std::filesystem::path& path) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) return;
  try {
    const FileLock taken(path, "it");
  } catch (const Error&) {  // held, or not ours
  }
}

FileLock::~FileLock() {
  unlink(path_.c_str());  // while it is still locked, so that nobody can have locked it meanwhile
  close(descriptor_);
}

}  // namespace priorfit::internal

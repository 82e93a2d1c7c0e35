#include "support/file_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "priorfit/error.hpp"
#include "support/durable.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

// Deflate can unfold to 1032 times its size; tables and pictures do to some ten times. What claims more is refused.
constexpr std::uint64_t gzip_likely_ratio = 100;
constexpr std::uint64_t gzip_always_allowed = std::uint64_t{1} << 24;
constexpr unsigned stream_buffer = 1U << 18, least_buffer = 1U << 12;
constexpr std::size_t largest_read = std::size_t{1} << 30;  // gzread counts in int

[[noreturn]] void fail(const char* action, const std::filesystem::path& path, int error_number) {
  throw Error(ErrorKind::io, fmt::format("cannot {} '{}': {}", action, path.string(), std::strerror(error_number)));
}

bool begins_as_gzip(int descriptor) {
  unsigned char magic[2] = {};
  return pread(descriptor, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

[[noreturn]] void fail_gzip(const std::string& name, int code, const char* reason) {
  if (code == Z_MEM_ERROR) {
    throw Error(ErrorKind::resource, fmt::format("not enough memory to read '{}': {} bytes were asked for", name,
                                                 3 * stream_buffer));  // zlib's input and its output, twice as long
  }
  if (code == Z_BUF_ERROR) {
    throw Error(ErrorKind::data, fmt::format("{}: the gzip data is cut short; copy or download the file again", name));
  }
  throw Error(ErrorKind::data, fmt::format("{}: the gzip data is damaged ({})", name, reason ? reason : "no detail"));
}

[[noreturn]] void fail_too_large(const std::string& name, std::uint64_t limit) {
  throw Error(ErrorKind::data, fmt::format("{}: holds more than the {} bytes allowed here", name, limit));
}

/// Whether the file open as `descriptor` still has this name.
bool has_name(int descriptor, const std::filesystem::path& path) {
  struct stat by_descriptor {
  }, by_name{};
  return fstat(descriptor, &by_descriptor) == 0 && stat(path.c_str(), &by_name) == 0 &&
         by_descriptor.st_ino == by_name.st_ino && by_descriptor.st_dev == by_name.st_dev;
}

// What is not finished is called "NAME.priorfit-PROCESS-ATTEMPT.tmp": two numbers alone could be a user's date.
constexpr std::string_view mark = ".priorfit-", ending = ".tmp";

bool is_unfinished(std::string_view name, const std::string& of) {
  const std::string beginning = of + std::string(mark);
  if (!name.starts_with(beginning) || !name.ends_with(ending)) return false;
  name.remove_prefix(beginning.size());
  if (name.size() < ending.size()) return false;
  name.remove_suffix(ending.size());
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && all_digits(name.substr(0, dash)) && all_digits(name.substr(dash + 1));
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& path) : ByteSource(path.string()) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open", path, errno);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    const int reason = S_ISDIR(status.st_mode) ? EISDIR : errno;
    close(descriptor);
    fail("read", path, reason);
  }
  // A pipe has no size to check against; it is bounded by what arrives.
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool compressed = S_ISREG(status.st_mode) && begins_as_gzip(descriptor);
  compressed_ = compressed;
  size_bound_ = !S_ISREG(status.st_mode) ? UINT64_MAX
                : compressed             ? size * gzip_likely_ratio + gzip_always_allowed
                                         : size;
  const gzFile stream = gzdopen(descriptor, "rb");
  if (stream == nullptr) {
    close(descriptor);
    fail("open", path, ENOMEM);
  }
  // Small files are read often, and zlib takes three times this at once.
  const std::uint64_t enough = S_ISREG(status.st_mode) ? std::max<std::uint64_t>(size, least_buffer) : stream_buffer;
  gzbuffer(stream, static_cast<unsigned>(std::min<std::uint64_t>(enough, stream_buffer)));
  stream_ = stream;
}

FileSource::~FileSource() { gzclose_r(static_cast<gzFile>(stream_)); }

std::size_t FileSource::read(std::span<char> buffer) {
  const auto stream = static_cast<gzFile>(stream_);
  std::size_t total = 0;
  while (total < buffer.size()) {
    const std::size_t wanted = std::min(buffer.size() - total, largest_read);
    const int count = gzread(stream, buffer.data() + total, static_cast<unsigned>(wanted));
    int code = Z_OK;
    const char* reason = gzerror(stream, &code);
    if (code == Z_ERRNO) fail("read", name(), errno);
    if (code != Z_OK && code != Z_STREAM_END) fail_gzip(name(), code, reason);
    if (count <= 0) break;
    total += static_cast<std::size_t>(count);
  }
  done_ += total;
  if (compressed_ && done_ > size_bound_) {
    throw Error(ErrorKind::data,
                fmt::format("{}: unpacks to more than {} bytes, {} times its size and 16 MB; unpack it with "
                            "gunzip first if it is meant to",
                            name(), size_bound_, gzip_likely_ratio));
  }
  return total;
}

std::size_t MemorySource::read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), bytes_.size() - position_);
  std::copy_n(bytes_.data() + position_, count, buffer.data());
  position_ += count;
  return count;
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  FileSource source(path);
  std::string bytes;
  std::size_t used = 0;
  for (;;) {
    const std::uint64_t step = used > 0 ? std::max<std::uint64_t>(stream_buffer, used)
                                        : std::min<std::uint64_t>(stream_buffer, source.size_bound()) + 1;
    bytes.resize(used + static_cast<std::size_t>(std::min(step, limit - used + 1)));
    const std::size_t count = source.read(std::span(bytes).subspan(used));
    used += count;
    if (used > limit) fail_too_large(source.name(), limit);
    if (used < bytes.size()) break;
  }
  bytes.resize(used);
  return bytes;
}

std::string gunzip(std::string_view compressed, std::uint64_t limit, const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw Error(ErrorKind::resource, name + ": no memory to inflate");
  const struct Cleanup {
    z_stream& stream;
    ~Cleanup() { inflateEnd(&stream); }
  } cleanup{stream};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string bytes;
  std::vector<char> buffer(stream_buffer);
  for (int code = Z_OK; code != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) fail_gzip(name, code, stream.msg);
    bytes.append(buffer.data(), buffer.size() - stream.avail_out);
    if (bytes.size() > limit) fail_too_large(name, limit);
  }
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // Not mkstemp: its files are private, and a result should have the permissions any new file gets.
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = fmt::format("{}{}{}-{}{}", path_.string(), mark, getpid(), attempt, ending);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail("write", path_, errno);
    if (descriptor_ < 0) continue;
    // The lock tells remove_unfinished in other processes that somebody still writes; it goes when this process does.
    // One that came between the two calls has removed the file: then another name.
    flock(descriptor_, LOCK_EX);
    if (!has_name(descriptor_, temporary_)) {
      close(descriptor_);
      descriptor_ = -1;
    }
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail("write", path_, errno);
  // Closed only then: with the lock gone another process would take the file for one that was left behind.
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", path_, errno);
  temporary_.clear();
  close(descriptor_);  // all is on the disk
  descriptor_ = -1;
  remove_unfinished(path_);
  internal::sync_folder_of(path_);
}

void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // one may write to a folder without being allowed to read it
  const int reason = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (reason != 0 && reason != EINVAL && reason != ENOTSUP) fail("write", path, reason);  // some know no such call
}

void remove_unfinished(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!is_unfinished(entry.path().filename().string(), path.filename().string())) continue;
    const int descriptor = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    // Between the two calls it may have become the file, and its name that of the next one.
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && has_name(descriptor, entry.path())) {
      std::filesystem::remove(entry.path(), ignored);
    }
    close(descriptor);
  }
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace priorfit::internal

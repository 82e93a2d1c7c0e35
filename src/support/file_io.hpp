// Files: bounded reading with gzip undone on the way, and writing that never leaves a half-written file.
//
//     std::string text = read_file("table.csv.gz", 1 << 30);
//     write_file("weights.npy", bytes);                 // temporary name, fsync, rename
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace priorfit::internal {

/// Bytes read front to back. Readers of formats take one of these, so that they serve files and memory alike.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `buffer`; returns fewer bytes than asked for only at the end.
  virtual std::size_t read(std::span<char> buffer) = 0;

  /// No more bytes than this can come in all. A size found in a header is checked against it before
  /// allocating.
  virtual std::uint64_t size_bound() const = 0;

  /// What messages call it.
  const std::string& name() const { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// A file; gzip data, recognised by content, comes out uncompressed. Error(io) when it cannot be opened or
/// read, Error(data) when gzip data is damaged, cut short, or unpacks to more than 100 times its size and 16 MB.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override;
  std::uint64_t size_bound() const override { return size_bound_; }

 private:
  void* stream_ = nullptr;  // gzFile
  std::uint64_t size_bound_ = 0;
  std::uint64_t done_ = 0;  // bytes given out
  bool compressed_ = false;
};

/// Borrowed memory.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string name) : ByteSource(std::move(name)), bytes_(bytes) {}

  std::size_t read(std::span<char> buffer) override;
  std::uint64_t size_bound() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

/// Appends up to `count` bytes of `source` and returns how many came. Grows as they arrive: a count found in a header
/// of compressed data, which the size of the file hardly bounds, costs no memory by itself.
template <typename Container>
std::uint64_t append_from(ByteSource& source, std::uint64_t count, Container& values) {
  using Value = typename Container::value_type;
  const std::uint64_t step = (std::min(std::uint64_t{1} << 20, source.size_bound()) / 16 + 1) * 16;  // whole values
  std::uint64_t done = 0;
  while (done < count) {
    const std::uint64_t wanted = std::min(count - done, std::max(step, done));
    const std::size_t before = values.size();
    values.resize(before + static_cast<std::size_t>(wanted / sizeof(Value)));
    const std::size_t got =
        source.read({reinterpret_cast<char*>(values.data() + before), static_cast<std::size_t>(wanted)});
    done += got;
    if (got < wanted) break;
  }
  return done;
}

/// All of a file, gzip undone. Error(data) when it holds more than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

/// Uncompresses gzip data held in memory. Error(data) when it is damaged or holds more than `limit` bytes.
std::string gunzip(std::string_view compressed, std::uint64_t limit, const std::string& name);

/// A file that appears under its name only once `commit` has written all of it to the disk. Until then it has
/// a temporary name in the same folder, which is removed when this object goes without a commit.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// Removes what killed processes have left of AtomicFiles for `path`, as every commit does; what another process still
/// writes is locked, and stays.
void remove_unfinished(const std::filesystem::path& path);

/// Replaces the file at once or leaves it as it was. Error(io) with the system's reason.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace priorfit::internal

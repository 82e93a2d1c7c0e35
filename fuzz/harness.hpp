// What every target does around its reader: gives it the bytes, and holds it to what docs/reliability.md promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace priorfit::fuzz {

/// Runs `read`, which may refuse the bytes by an Error of any kind but internal. Anything else ends the process:
/// another exception, more than 2 s of the processor, or at any moment more memory than 2 × size + 64 MB. What gzip or
/// zip data unpack to counts as size. libFuzzer's own limit is of time that passes, which says little on a busy
/// machine.
int run(std::string_view bytes, void (*read)(std::string_view));

/// Counts bytes that are not allocated by malloc as the reader's; what is released is negative.
void count_memory(std::int64_t bytes);

/// A file that lives in memory (memory_files.hpp), for readers that open by name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes = {});
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Takes the place of what the file held.
  void set(std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A folder of files in memory.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// `name` may have folders before it.
  void set(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;
  std::filesystem::path path(const std::string& name = {}) const { return name.empty() ? path_ : path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace priorfit::fuzz

/// The body of a target: `bytes` is what the fuzzer chose.
#define PRIORFIT_FUZZ(bytes)                                                           \
  static void fuzz_one(std::string_view bytes);                                        \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  \
    return priorfit::fuzz::run({reinterpret_cast<const char*>(data), size}, fuzz_one); \
  }                                                                                    \
  static void fuzz_one(std::string_view bytes)

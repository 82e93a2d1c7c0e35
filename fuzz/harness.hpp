// What every target does around its reader: gives it the bytes, and holds it to what docs/reliability.md promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace priorfit::fuzz {

/// Runs `read`, which may refuse the bytes by an Error of any kind but internal. Anything else ends the process:
/// another exception, or at any moment more memory than 2 × size + 64 MB. What gzip or zip data unpack to counts as
/// size.
int run(std::string_view bytes, const std::function<void(std::string_view)>& read);

/// A file that lives in memory, for readers that open by name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const;

 private:
  int descriptor_;
};

/// A folder whose files are MemoryFiles under the names the format asks for. It goes with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void add(const std::string& name, const MemoryFile& file) const;
  const std::filesystem::path& path() const { return path_; }

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

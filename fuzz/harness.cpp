#include "harness.hpp"

#include <sanitizer/allocator_interface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::fuzz {
using namespace internal;
namespace {

constexpr std::int64_t fixed_allowance = std::int64_t{64} << 20;
constexpr double longest = 2.0;  // seconds of the processor, for instrumented code

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Bytes allocated since the input was begun, and the most they have been.
std::atomic<std::int64_t> held{0}, most{0};

void on_allocation(const volatile void*, std::size_t size) {
  const std::int64_t now = held += static_cast<std::int64_t>(size);
  for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
  }
}

void on_release(const volatile void* block) {
  held -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// The bytes themselves, or what they unpack to as far as gzip can follow them.
std::int64_t unpacked_size(std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (!bytes.starts_with("\x1f\x8b")) return size;
  static const MemoryFile file;
  file.set(bytes);
  std::int64_t unpacked = 0;
  try {
    FileSource source(file.path());
    std::array<char, 4096> chunk;
    while (const std::size_t count = source.read(chunk)) unpacked += static_cast<std::int64_t>(count);
  } catch (const Error&) {
  }
  return std::max(size, unpacked);
}

}  // namespace

int run(std::string_view bytes, const std::function<void(std::string_view)>& read) {
  [[maybe_unused]] static const int installed = __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);
  const std::int64_t allowed = 2 * unpacked_size(bytes) + fixed_allowance;
  held = most = 0;
  const double begin = processor_seconds();
  try {
    read(bytes);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) fail(std::string("internal error: ") + error.what());
  }
  if (const double seconds = processor_seconds() - begin; seconds > longest) {
    fail("time: " + std::to_string(seconds) + " s for a file of " + std::to_string(bytes.size()) + " bytes");
  }
  if (most > allowed) {
    fail("memory: " + std::to_string(most) + " bytes for a file of " + std::to_string(bytes.size()) + ", " +
         std::to_string(allowed) + " allowed");
  }
  return 0;
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("memfd_create failed");
  set(bytes);
}

MemoryFile::~MemoryFile() { close(descriptor_); }

void MemoryFile::set(std::string_view bytes) const {
  if (ftruncate(descriptor_, 0) != 0) fail("ftruncate failed");
  for (off_t place = 0; !bytes.empty();) {
    const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (count <= 0) fail("writing to memory failed");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    place += count;
  }
}

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

Folder::Folder(std::initializer_list<const char*> names) {
  std::string pattern = (std::filesystem::temp_directory_path() / "priorfit-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) fail("mkdtemp failed");
  path_ = pattern;
  for (const char* name : names) {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::create_symlink(files_[name].path(), file);
  }
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Folder::set(const std::string& name, std::string_view bytes) const { files_.at(name).set(bytes); }

}  // namespace priorfit::fuzz

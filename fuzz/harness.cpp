#include "harness.hpp"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "memory_files.hpp"
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
constexpr auto relaxed = std::memory_order_relaxed;

void add_to_held(std::int64_t bytes) {
  const std::int64_t now = held.load(relaxed) + bytes;  // the readers have one thread here
  held.store(now, relaxed);
  if (now > most.load(relaxed)) most.store(now, relaxed);
}

void on_allocation(const volatile void*, std::size_t size) { add_to_held(static_cast<std::int64_t>(size)); }

void on_release(const volatile void* block) {
  add_to_held(-static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block))));
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

void attempt(std::string_view bytes, void (*read)(std::string_view)) {
  try {
    read(bytes);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) fail(std::string("internal error: ") + error.what());
  }
}

}  // namespace

void count_memory(std::int64_t bytes) { add_to_held(bytes); }

int run(std::string_view bytes, void (*read)(std::string_view)) {
  [[maybe_unused]] static const int installed = __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);
  const std::int64_t allowed = 2 * unpacked_size(bytes) + fixed_allowance;
  held = most = 0;
  // The time that passes is never less than the processor's, and to ask for it takes no call of the system.
  const auto begin = std::chrono::steady_clock::now();
  attempt(bytes, read);
  if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(longest)) {
    const double before = processor_seconds();
    attempt(bytes, read);
    if (const double seconds = processor_seconds() - before; seconds > longest) {
      fail("time: " + std::to_string(seconds) + " s for a file of " + std::to_string(bytes.size()) + " bytes");
    }
  }
  if (most > allowed) {
    fail("memory: " + std::to_string(most) + " bytes for a file of " + std::to_string(bytes.size()) + ", " +
         std::to_string(allowed) + " allowed");
  }
  return 0;
}

namespace {

std::string new_name() {
  static int names = 0;
  return std::string(memory_root) + std::to_string(names++);
}

}  // namespace

MemoryFile::MemoryFile(std::string_view bytes) : path_(new_name()) { set(bytes); }

void MemoryFile::set(std::string_view bytes) const { set_file(path_.native(), bytes); }

Folder::Folder() : path_(new_name()) {}

void Folder::set(const std::string& name, std::string_view bytes) const {
  set_file(path_.native() + '/' + name, bytes);
}

void Folder::remove(const std::string& name) const { remove_file(path_.native() + '/' + name); }

}  // namespace priorfit::fuzz

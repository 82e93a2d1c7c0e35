#include "data/source_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

// A plain file of some size that does not begin as gzip does.
bool can_be_mapped(int descriptor, std::size_t& size) {
  struct stat status {};
  unsigned char magic[2] = {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 2) return false;
  size = static_cast<std::size_t>(status.st_size);
  return pread(descriptor, magic, 2, 0) == 2 && !(magic[0] == 0x1f && magic[1] == 0x8b);
}

}  // namespace

std::string source_name(const std::string& source) { return source == "-" ? "standard input" : source; }

SourceText::SourceText(const std::string& source) {
  const std::string path = source == "-" ? "/dev/stdin" : source;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    std::size_t size = 0;
    if (can_be_mapped(descriptor, size)) {
      void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (memory != MAP_FAILED) {
        mapped_ = memory;
        mapped_size_ = size;
        text_ = {static_cast<const char*>(memory), size};
      }
    }
    close(descriptor);
    if (mapped_ != nullptr) return;
  }
  FileSource file(path);
  const std::uint64_t limit = std::min(file.size_bound(), available_memory() / 2);
  held_.resize(append_from(file, limit, held_));
  char extra = 0;
  if (held_.size() >= limit && file.read({&extra, 1}) != 0) {
    throw Error(ErrorKind::resource, fmt::format("{}: holds more than {} bytes, half of the memory that is free",
                                                 source_name(source), limit));
  }
  text_ = held_;
}

SourceText::~SourceText() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

void SourceText::replace(std::string text) {
  held_ = std::move(text);
  text_ = held_;
}

}  // namespace priorfit::internal

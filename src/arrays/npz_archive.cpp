#include "arrays/npz_archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr zip_uint16_t midnight = 0;
constexpr zip_uint16_t first_of_1980 = (0 << 9) | (1 << 5) | 1;  // the earliest date a zip entry can have

[[noreturn]] void fail(zip_error_t* error) {
  throw Error(ErrorKind::internal, fmt::format("cannot build an npz file: {}", zip_error_strerror(error)));
}

[[noreturn]] void fail_memory(const std::vector<NpzEntry>& entries) {
  std::size_t bytes = 0;
  for (const NpzEntry& entry : entries) bytes += entry.bytes.size();
  throw Error(ErrorKind::resource, fmt::format("not enough memory for an npz file: {} bytes were asked for", bytes));
}

struct SourceFree {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct ArchiveDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

void add_entry(zip_t* archive, const std::string& name, const std::string& bytes) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  if (source == nullptr) fail(zip_get_error(archive));
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail(zip_get_error(archive));
  }
  const auto entry = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, entry, midnight, first_of_1980, 0) != 0) {
    fail(zip_get_error(archive));
  }
}

std::string contents(zip_source_t* source) {
  zip_stat_t status;
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0) fail(zip_source_error(source));
  std::string bytes(status.size, '\0');
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (count != static_cast<zip_int64_t>(bytes.size())) fail(zip_source_error(source));
  return bytes;
}

}  // namespace

std::string npz_archive(const std::vector<NpzEntry>& entries) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, SourceFree> sink(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!sink) fail(&error);
  zip_source_keep(sink.get());  // the archive frees one reference, `sink` the other
  std::unique_ptr<zip_t, ArchiveDiscard> archive(zip_open_from_source(sink.get(), ZIP_TRUNCATE, &error));
  if (!archive) {
    zip_source_free(sink.get());
    fail(&error);
  }
  for (const NpzEntry& entry : entries) add_entry(archive.get(), entry.name + ".npy", entry.bytes);
  if (zip_close(archive.get()) != 0) {
    if (zip_error_code_zip(zip_get_error(archive.get())) == ZIP_ER_MEMORY) fail_memory(entries);
    fail(zip_get_error(archive.get()));
  }
  (void)archive.release();
  return contents(sink.get());
}

}  // namespace priorfit::internal

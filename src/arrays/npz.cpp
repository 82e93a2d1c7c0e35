#include "arrays/npz.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr std::uint64_t deflate_maximum_ratio = 1032;

class EntrySource final : public ByteSource {
 public:
  EntrySource(zip_file_t* file, std::uint64_t size_bound, std::string name)
      : ByteSource(std::move(name)), file_(file), size_bound_(size_bound) {}
  ~EntrySource() override { zip_fclose(file_); }
  EntrySource(const EntrySource&) = delete;
  EntrySource& operator=(const EntrySource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t total = 0;
    while (total < buffer.size()) {
      const zip_int64_t count = zip_fread(file_, buffer.data() + total, buffer.size() - total);
      if (count < 0 && zip_error_code_zip(zip_file_get_error(file_)) == ZIP_ER_MEMORY) throw std::bad_alloc();
      if (count < 0)
        throw Error(ErrorKind::data, fmt::format("{}: damaged zip data: {}", name(), zip_file_strerror(file_)));
      if (count == 0) break;
      total += static_cast<std::size_t>(count);
    }
    return total;
  }

  std::uint64_t size_bound() const override { return size_bound_; }

 private:
  zip_file_t* file_;
  std::uint64_t size_bound_;
};

}  // namespace

struct NpzFile::Archive {
  Archive(zip_t* z, std::string n, std::uint64_t s) : zip(z), name(std::move(n)), file_size(s) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  zip_t* zip;
  std::string name;
  std::uint64_t file_size;
  ~Archive() { zip_discard(zip); }
};

NpzFile::NpzFile(const std::filesystem::path& path) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (zip == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
    const bool unreadable = code == ZIP_ER_OPEN || code == ZIP_ER_NOENT || code == ZIP_ER_READ;
    if (unreadable) throw Error(ErrorKind::io, fmt::format("cannot open '{}': {}", path.string(), reason));
    throw Error(ErrorKind::data, fmt::format("{}: not a readable npz (zip) file: {}", path.string(), reason));
  }
  archive_ = std::make_unique<Archive>(zip, path.string(), std::filesystem::file_size(path));
}

NpzFile::~NpzFile() = default;

std::vector<std::string> NpzFile::array_names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive_->zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_->zip, static_cast<zip_uint64_t>(i), 0);
    std::string_view array = name != nullptr ? name : "";
    if (array.ends_with(".npy")) array.remove_suffix(4);
    names.emplace_back(array);
  }
  return names;
}

std::optional<NpyArray> NpzFile::read(const std::string& array) const {
  const zip_int64_t index = zip_name_locate(archive_->zip, (array + ".npy").c_str(), 0);
  if (index < 0) return std::nullopt;
  const std::string name = fmt::format("{}, array {}", archive_->name, array);
  zip_stat_t status;
  zip_file_t* file = nullptr;
  if (zip_stat_index(archive_->zip, static_cast<zip_uint64_t>(index), 0, &status) == 0) {
    file = zip_fopen_index(archive_->zip, static_cast<zip_uint64_t>(index), 0);
  }
  if (file == nullptr && zip_error_code_zip(zip_get_error(archive_->zip)) == ZIP_ER_MEMORY) throw std::bad_alloc();
  if (file == nullptr) throw Error(ErrorKind::data, fmt::format("{}: {}", name, zip_strerror(archive_->zip)));
  // The size an entry claims is not to be believed beyond what its compressed bytes can unfold to.
  EntrySource source(file, std::min<std::uint64_t>(status.size, archive_->file_size * deflate_maximum_ratio), name);
  return read_npy(source);
}

std::optional<NpyArray> NpzFile::read_any(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (auto array = read(std::string(name))) return array;
  }
  return std::nullopt;
}

}  // namespace priorfit::internal

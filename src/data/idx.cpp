#include <fmt/format.h>

#include <optional>

#include "arrays/matrix_memory.hpp"
#include "arrays/npy_convert.hpp"
#include "data/images.hpp"
#include "data/targets.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;

constexpr unsigned char unsigned_byte = 0x08;
constexpr NpyType byte_kind{NpyType::Kind::unsigned_integer, 1, false};
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

// The published names have '-' before "idx"; some unpackers make it '.'.
std::optional<fs::path> find_part(const fs::path& folder, const std::string& stem, const std::string& kind) {
  for (const char* separator : {"-", "."}) {
    for (const char* ending : {"", ".gz"}) {
      fs::path path = folder / (stem + separator + kind + ending);
      if (fs::is_regular_file(path)) return path;
    }
  }
  return std::nullopt;
}

[[noreturn]] void fail(const ByteSource& source, const std::string& problem) {
  throw Error(ErrorKind::data, source.name() + ": " + problem);
}

// Two zero bytes, the type, the number of dimensions, then each dimension as a big-endian 32-bit number.
std::vector<Index> read_idx_header(ByteSource& source, unsigned dimensions) {
  unsigned char start[4];
  const auto bytes = [](auto& array) { return std::span(reinterpret_cast<char*>(array), sizeof array); };
  if (source.read(bytes(start)) != sizeof start) fail(source, "the file ends inside its IDX header");
  if (start[0] != 0 || start[1] != 0 || start[2] != unsigned_byte || start[3] != dimensions) {
    fail(source,
         fmt::format("not an IDX file of bytes in {} dimension{}: it begins with {:02x} {:02x} {:02x} {:02x}, not "
                     "00 00 08 {:02x}",
                     dimensions, dimensions == 1 ? "" : "s", start[0], start[1], start[2], start[3], dimensions));
  }
  std::vector<Index> shape;
  std::uint64_t total = 1;
  for (unsigned d = 0; d < dimensions; ++d) {
    unsigned char size[4];
    if (source.read(bytes(size)) != sizeof size) fail(source, "the file ends inside its IDX header");
    shape.push_back(Index{size[0]} << 24 | Index{size[1]} << 16 | Index{size[2]} << 8 | Index{size[3]});
    if (shape.back() == 0) fail(source, "its IDX header says that it is empty");
    if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(shape.back()), &total)) total = UINT64_MAX;
  }
  if (total > source.size_bound()) {
    fail(source, fmt::format("truncated: its IDX header promises {} values, more than the file holds", total));
  }
  return shape;
}

Matrix read_idx(const fs::path& path, unsigned dimensions) {
  FileSource source(path);
  const std::vector<Index> shape = read_idx_header(source, dimensions);
  const Index columns = dimensions == 3 ? shape[1] * shape[2] : 1;
  check_matrix_fits(shape[0], columns, source.name());
  Matrix values(shape[0], columns);
  const auto total = static_cast<std::size_t>(values.size());
  std::vector<char> chunk(std::min(chunk_bytes, total));
  for (std::size_t done = 0; done < total;) {
    const std::size_t count = source.read({chunk.data(), std::min(chunk.size(), total - done)});
    if (count == 0) fail(source, fmt::format("truncated: {} of {} values are there", done, total));
    convert(chunk.data(), count, byte_kind, values.data() + done, 1);
    done += count;
  }
  if (char extra = 0; source.read({&extra, 1}) != 0) fail(source, "more bytes follow than its IDX header promises");
  return values;
}

struct Part {
  Matrix images;
  Matrix labels;  // rows × 1
};

Part read_part(const fs::path& folder, const std::string& stem, const fs::path& images) {
  const auto labels = find_part(folder, stem + "-labels", "idx1-ubyte");
  if (!labels) {
    throw Error(ErrorKind::io, fmt::format("'{}' has no labels beside it: {}-labels-idx1-ubyte[.gz] is missing",
                                           images.string(), stem));
  }
  Part part{read_idx(images, 3), read_idx(*labels, 1)};
  if (part.images.rows() != part.labels.rows()) {
    throw Error(ErrorKind::data, fmt::format("'{}' has {} images but '{}' has {} labels", images.string(),
                                             part.images.rows(), labels->string(), part.labels.rows()));
  }
  return part;
}

}  // namespace

bool is_idx_folder(const fs::path& folder) { return find_part(folder, "train-images", "idx3-ubyte").has_value(); }

Dataset load_idx_folder(const fs::path& folder, std::optional<Task> task) {
  Dataset dataset;
  dataset.name = folder.string();
  dataset.pixel_maximum = 255.0;
  Part train = read_part(folder, "train", *find_part(folder, "train-images", "idx3-ubyte"));
  Part test;
  if (const auto images = find_part(folder, "t10k-images", "idx3-ubyte")) {
    test = read_part(folder, "t10k", *images);
    if (test.images.cols() != train.images.cols()) {
      throw Error(ErrorKind::data, fmt::format("'{}' has images of {} pixels for training and {} for testing",
                                               folder.string(), train.images.cols(), test.images.cols()));
    }
  }
  dataset.train.inputs = std::move(train.images);
  dataset.test.inputs = std::move(test.images);
  set_numeric_targets(dataset, std::move(train.labels), std::move(test.labels), "label",
                      task.value_or(Task::classification));
  return dataset;
}

}  // namespace priorfit::internal

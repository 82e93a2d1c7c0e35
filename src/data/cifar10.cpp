#include <fmt/format.h>

#include "arrays/matrix_memory.hpp"
#include "arrays/npy_convert.hpp"
#include "data/images.hpp"
#include "data/targets.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t picture_bytes = 3 * 32 * 32;       // red, green and blue planes
constexpr std::size_t record_bytes = 1 + picture_bytes;  // the label comes first
constexpr int training_batches = 5;
constexpr int class_count = 10;

// Appends the batch's labels and fills `inputs` from row `first` on; returns the row after the last.
Index read_batch(const fs::path& path, Matrix& inputs, Index first, std::vector<int>& labels) {
  FileSource source(path);
  const std::size_t before = labels.size();
  char record[record_bytes];
  for (; first < inputs.rows(); ++first) {
    const std::size_t count = source.read(record);
    if (count == 0) return first;
    if (count < record_bytes) {
      throw Error(ErrorKind::data, fmt::format("{}: truncated inside picture {}: its size is no multiple of {} bytes",
                                               path.string(), labels.size() - before + 1, record_bytes));
    }
    const int label = static_cast<unsigned char>(record[0]);
    if (label >= class_count) {
      throw Error(ErrorKind::data, fmt::format("{}: picture {} has label {}, not one of 0 to 9: not a CIFAR-10 batch",
                                               path.string(), labels.size() - before + 1, label));
    }
    labels.push_back(label);
    convert(record + 1, picture_bytes, {NpyType::Kind::unsigned_integer, 1, false}, inputs.row(first).data(), 1);
  }
  if (source.read({record, 1}) != 0) {
    throw Error(ErrorKind::data,
                path.string() + ": holds more than its size allows; uncompress the CIFAR-10 batches first");
  }
  return first;
}

void read_batches(const std::vector<fs::path>& paths, Samples& samples, std::vector<int>& labels) {
  std::uintmax_t bytes = 0;
  for (const fs::path& path : paths) {
    if (!fs::is_regular_file(path)) {
      throw Error(ErrorKind::io, fmt::format("'{}' is missing beside the other CIFAR-10 batches", path.string()));
    }
    bytes += fs::file_size(path) + record_bytes - 1;
  }
  const auto pictures = static_cast<Index>(bytes / record_bytes);
  check_matrix_fits(pictures, picture_bytes, paths.front().parent_path().string());
  samples.inputs.resize(pictures, picture_bytes);
  Index row = 0;
  for (const fs::path& path : paths) row = read_batch(path, samples.inputs, row, labels);
  samples.inputs.conservativeResize(row, Eigen::NoChange);
}

}  // namespace

bool is_cifar10_folder(const fs::path& folder) { return fs::is_regular_file(folder / "data_batch_1.bin"); }

Dataset load_cifar10_folder(const fs::path& folder, std::optional<Task> task) {
  if (task == Task::regression) {
    throw Error(ErrorKind::usage, "the labels of CIFAR-10 are names without an order: regression cannot use them");
  }
  Dataset dataset;
  dataset.name = folder.string();
  dataset.pixel_maximum = 255.0;
  std::vector<fs::path> batches;
  for (int b = 1; b <= training_batches; ++b) batches.push_back(folder / fmt::format("data_batch_{}.bin", b));
  std::vector<int> train, test;
  read_batches(batches, dataset.train, train);
  if (const fs::path path = folder / "test_batch.bin"; fs::is_regular_file(path)) {
    read_batches({path}, dataset.test, test);
  }
  set_class_targets(dataset, std::move(train), std::move(test),
                    {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"});
  return dataset;
}

}  // namespace priorfit::internal

// Folders of PNG and JPEG pictures, one per class.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "arrays/matrix_memory.hpp"
#include "data/images.hpp"
#include "data/picture.hpp"
#include "data/row_notes.hpp"
#include "data/targets.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/loop_error.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;
using internal::Picture;
using internal::PictureHead;

constexpr Index largest_kept = 128;              // a side up to which pictures of one size stay as they are
constexpr Index largest_chosen = 64;             // a side of the size that is chosen for pictures of several
constexpr std::uint64_t largest_file = 1 << 26;  // bytes
constexpr Index held_alone = Index{1} << 22;     // values of a picture that is decoded beside no other such

struct PictureFile {
  fs::path path;
  int label = 0;
  PictureShape shape;
  std::string problem;
};

bool has_picture_name(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool holds_pictures(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (has_picture_name(entry.path()) && !is_hidden(entry.path()) && entry.is_regular_file()) return true;
  }
  return false;
}

// Folders with pictures in them, by name.
std::vector<fs::path> class_folders(const fs::path& folder) {
  std::vector<fs::path> classes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !is_hidden(entry.path()) && holds_pictures(entry.path())) {
      classes.push_back(entry.path());
    }
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

struct Parts {
  fs::path train, test;  // test: empty when there is none
};

Parts parts_of(const fs::path& folder) {
  if (!fs::is_directory(folder / "train") || class_folders(folder / "train").empty()) return {folder, {}};
  for (const char* name : {"test", "val", "valid", "validation"}) {
    if (fs::is_directory(folder / name) && !class_folders(folder / name).empty()) {
      return {folder / "train", folder / name};
    }
  }
  return {folder / "train", {}};
}

// Files in the order of their names; those that are no pictures are only counted.
std::vector<PictureFile> list_files(const fs::path& folder, const std::vector<std::string>& classes, Index& others) {
  std::vector<PictureFile> files;
  for (const fs::path& path : class_folders(folder)) {
    const std::string name = path.filename().string();
    const auto place = std::find(classes.begin(), classes.end(), name);
    if (place == classes.end()) {
      throw Error(ErrorKind::data, fmt::format("{}: class '{}' has no pictures to train on", folder.string(), name));
    }
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (is_hidden(entry.path()) || !entry.is_regular_file()) continue;
      if (has_picture_name(entry.path())) {
        paths.push_back(entry.path());
      } else {
        ++others;
      }
    }
    std::sort(paths.begin(), paths.end());
    for (fs::path& file : paths) files.push_back({std::move(file), static_cast<int>(place - classes.begin()), {}, ""});
  }
  return files;
}

// Bytes of the picture and its format; none, with the problem said, when it is no picture.
std::optional<internal::PictureFormat> read_bytes(PictureFile& file, std::string& bytes) {
  try {
    bytes = read_file(file.path, largest_file);
  } catch (const Error& error) {
    file.problem = error.what();
    return std::nullopt;
  }
  const auto format = internal::picture_format(bytes);
  if (!format) file.problem = "neither PNG nor JPEG by its first bytes";
  return format;
}

template <typename Work>
void each_file(std::vector<PictureFile>& files, const Work& work) {
  LoopError error;
  const auto count = static_cast<Index>(files.size());
#pragma omp parallel for schedule(dynamic, 16)
  for (Index i = 0; i < count; ++i) {
    error.guard([&] { work(files[static_cast<std::size_t>(i)], i); });
  }
  error.rethrow();
}

void read_heads(std::vector<PictureFile>& files) {
  each_file(files, [](PictureFile& file, Index) {
    std::string bytes;
    const auto format = read_bytes(file, bytes);
    if (!format) return;
    PictureHead head = internal::read_head(bytes, *format);
    file.shape = head.shape;
    file.problem = std::move(head.problem);
  });
}

Index middle(std::vector<Index> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

PictureShape common_shape(const std::vector<PictureFile>& files, const PictureShape& wanted) {
  PictureShape shape = wanted;
  std::vector<Index> widths, heights;
  bool grey = true;
  for (const PictureFile& file : files) {
    if (!file.problem.empty()) continue;
    widths.push_back(file.shape.width);
    heights.push_back(file.shape.height);
    grey = grey && file.shape.channels == 1;
  }
  if (wanted.channels == 0) shape.channels = grey ? 1 : 3;
  if (wanted.width > 0 && wanted.height > 0) return shape;
  shape.width = middle(widths);
  shape.height = middle(heights);
  const bool alike = std::count(widths.begin(), widths.end(), shape.width) == std::ssize(widths) &&
                     std::count(heights.begin(), heights.end(), shape.height) == std::ssize(heights);
  const Index longer = std::max(shape.width, shape.height);
  if (longer <= (alike ? largest_kept : largest_chosen)) return shape;
  const double factor = static_cast<double>(largest_chosen) / static_cast<double>(longer);
  for (Index* side : {&shape.width, &shape.height}) {
    *side = std::max<Index>(1, std::llround(static_cast<double>(*side) * factor));
  }
  return shape;
}

std::string size_note(const std::vector<PictureFile>& files, const PictureShape& shape) {
  std::set<std::pair<Index, Index>> sizes;
  for (const PictureFile& file : files) {
    if (file.problem.empty()) sizes.emplace(file.shape.width, file.shape.height);
  }
  const char* const colour = shape.channels == 1 ? "grey" : "in colour";
  const auto [width, height] = *sizes.begin();
  if (sizes.size() == 1 && width == shape.width && height == shape.height) {
    return fmt::format("pictures of {} × {} pixels, {}", width, height, colour);
  }
  const std::string before = sizes.size() == 1 ? fmt::format("{} × {} pixels", width, height)
                                               : fmt::format("{} sizes, such as {} × {}", sizes.size(), width, height);
  return fmt::format("pictures of {}, resized to {} × {} pixels, {}", before, shape.width, shape.height, colour);
}

// Decodes into one row each; what fails here is left out as well.
Samples read_pictures(std::vector<PictureFile>& files, const PictureShape& shape, const std::string& name) {
  std::erase_if(files, [](const PictureFile& file) { return !file.problem.empty(); });
  Samples samples;
  internal::check_matrix_fits(static_cast<Index>(files.size()), shape.values(), name);
  samples.inputs.resize(static_cast<Index>(files.size()), shape.values());
  std::mutex large;
  each_file(files, [&](PictureFile& file, Index row) {
    std::unique_lock lock(large, std::defer_lock);
    if (file.shape.width * file.shape.height * shape.channels > held_alone) lock.lock();
    std::string bytes;
    const auto format = read_bytes(file, bytes);
    if (!format) return;
    Picture picture = internal::decode(bytes, *format, shape.channels);
    file.problem = std::move(picture.problem);
    if (file.problem.empty()) internal::resize_into(picture, shape, samples.inputs.row(row).data());
  });
  Index kept = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].problem.empty()) continue;
    if (kept != static_cast<Index>(i)) samples.inputs.row(kept) = samples.inputs.row(static_cast<Index>(i));
    samples.labels.push_back(files[i].label);
    ++kept;
  }
  samples.inputs.conservativeResize(kept, Eigen::NoChange);
  return samples;
}

}  // namespace

bool is_picture_folder(const fs::path& folder) { return !class_folders(parts_of(folder).train).empty(); }

Dataset load_picture_folder(const fs::path& folder, std::optional<Task> task, const PictureShape& wanted) {
  if (task == Task::regression) {
    throw Error(ErrorKind::usage, "folders of pictures are classes without an order: regression cannot use them");
  }
  Dataset dataset;
  dataset.name = folder.string();
  dataset.pixel_maximum = 255.0;
  const Parts parts = parts_of(folder);
  std::vector<std::string> classes;
  for (const fs::path& path : class_folders(parts.train)) classes.push_back(path.filename().string());
  Index others = 0, broken = 0;
  std::string example;
  std::vector<PictureFile> train = list_files(parts.train, classes, others), test;
  if (!parts.test.empty()) test = list_files(parts.test, classes, others);
  const auto count_broken = [&](const std::vector<PictureFile>& files) {
    for (const PictureFile& file : files) {
      if (file.problem.empty()) continue;
      if (broken++ == 0) example = fmt::format("{} ({})", file.path.string(), file.problem);
    }
  };
  read_heads(train);
  read_heads(test);
  count_broken(train);
  count_broken(test);
  const bool none = std::all_of(train.begin(), train.end(), [](const auto& file) { return !file.problem.empty(); });
  if (none) throw Error(ErrorKind::data, fmt::format("{}: no picture can be read: {}", dataset.name, example));
  dataset.pictures = common_shape(train, wanted);
  dataset.notes.push_back(size_note(train, dataset.pictures));
  dataset.train = read_pictures(train, dataset.pictures, dataset.name);
  dataset.test = read_pictures(test, dataset.pictures, dataset.name + ", test pictures");
  count_broken(train);
  count_broken(test);
  if (dataset.train.size() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: no picture can be read: {}", dataset.name, example));
  }
  if (broken > 0) {
    dataset.notes.push_back(fmt::format("{} picture{} cannot be read and {} left out: {}", broken,
                                        broken == 1 ? "" : "s", broken == 1 ? "is" : "are", example));
  }
  if (others > 0) {
    dataset.notes.push_back(
        fmt::format("{} file{} other than .png, .jpg or .jpeg left out", others, others == 1 ? "" : "s"));
  }
  if (!parts.test.empty()) {
    dataset.notes.push_back(fmt::format("test pictures are those in '{}'", parts.test.filename().string()));
  }
  set_class_targets(dataset, std::move(dataset.train.labels), std::move(dataset.test.labels), std::move(classes));
  internal::note_rows(dataset);
  return dataset;
}

}  // namespace priorfit::internal

#include "data/known.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "data/images.hpp"
#include "data/targets.hpp"
#include "data/text_table.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {

extern const unsigned char digits_csv_gz[];  // data/digits.csv.gz
extern const std::size_t digits_csv_gz_size;

namespace {

namespace fs = std::filesystem;

constexpr double digits_pixel_maximum = 16.0;
constexpr std::uint64_t digits_limit = 1 << 20;

struct Entry {
  const char* name;
  const char* summary;
};

constexpr Entry known_sets[] = {
    {"digits", "1797 grey digits, 8 x 8 (part of priorfit)"},
    {"mnist", "60000 + 10000 grey digits, 28 x 28"},
    {"fashion-mnist", "60000 + 10000 grey garments, 28 x 28"},
    {"cifar10", "50000 + 10000 colour photographs, 32 x 32"},
};

Dataset load_digits(std::optional<Task> task) {
  const std::string_view compressed(reinterpret_cast<const char*>(digits_csv_gz), digits_csv_gz_size);
  const std::string text = gunzip(compressed, digits_limit, "digits");
  // All 65 columns as they are: some pixels are the same in every picture, and a picture has no columns.
  const internal::TextTable table =
      internal::read_text_table(text, "digits", {}, [](const TableDialect&, std::vector<internal::TextColumn>&) {});
  const auto pixels = static_cast<Index>(table.columns.size()) - 1;
  Dataset dataset;
  dataset.name = "digits";
  dataset.pixel_maximum = digits_pixel_maximum;
  const Eigen::Map<const Matrix> values(table.values.data(), table.rows, pixels + 1);
  dataset.train.inputs = values.leftCols(pixels);
  set_numeric_targets(dataset, values.rightCols(1), {}, "digit", task.value_or(Task::classification));
  return dataset;
}

}  // namespace

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Entry& entry : known_sets) names.emplace_back(entry.name);
  return names;
}

Dataset load_known(const std::string& name, const fs::path& data_folder, std::optional<Task> task) {
  if (name == "digits") return load_digits(task);
  const fs::path folder = (data_folder.empty() ? default_data_folder() : data_folder) / name;
  Dataset dataset;
  if (is_idx_folder(folder)) {
    dataset = load_idx_folder(folder, task);
  } else if (is_cifar10_folder(folder)) {
    dataset = load_cifar10_folder(folder, task);
  } else {
    throw Error(ErrorKind::io, fmt::format("data set '{}' is not in '{}'; run `scripts/get-data {}` to fetch it", name,
                                           folder.string(), name));
  }
  dataset.name = name;
  if (name == "fashion-mnist" && dataset.output_names.size() == 10) {
    dataset.output_names = {"T-shirt/top", "trouser", "pullover", "dress", "coat",
                            "sandal",      "shirt",   "sneaker",  "bag",   "ankle boot"};
  }
  return dataset;
}

}  // namespace priorfit::internal

namespace priorfit {
using namespace internal;

fs::path default_data_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const std::string folder = variable("PRIORFIT_DATA"); !folder.empty()) return folder;
  if (const fs::path home = variable("XDG_DATA_HOME"); home.is_absolute())
    return home / "priorfit";  // as its rules say
  fs::path home = variable("HOME");
  if (!home.is_absolute()) {  // as under some daemons; never a place in the current folder
    const passwd* const user = getpwuid(getuid());
    home = user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "/";
  }
  return home / ".local" / "share" / "priorfit";
}

std::vector<KnownDataset> known_datasets(const fs::path& data_folder) {
  const fs::path folder = data_folder.empty() ? default_data_folder() : data_folder;
  std::vector<KnownDataset> known;
  for (const Entry& entry : known_sets) {
    KnownDataset item{.name = entry.name, .summary = entry.summary, .folder = {}, .present = true};
    if (item.name != "digits") {
      item.folder = folder / item.name;
      item.present = is_idx_folder(item.folder) || is_cifar10_folder(item.folder);
    }
    known.push_back(std::move(item));
  }
  return known;
}

}  // namespace priorfit

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "data/arrays.hpp"
#include "data/images.hpp"
#include "data/known.hpp"
#include "data/load_table.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

namespace fs = std::filesystem;

std::vector<std::string> entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    names.push_back((folder / entry.path().filename()).string());
  }
  return names;
}

[[noreturn]] void fail_missing(const std::string& source) {
  const std::vector<std::string> known = known_names();
  if (source.find_first_of("/.") != std::string::npos) {
    throw Error(ErrorKind::io, fmt::format("there is no file or folder '{}'{}", source,
                                           suggestion(source, entries_of(fs::path(source).parent_path()))));
  }
  std::vector<std::string> candidates = entries_of({});
  candidates.insert(candidates.begin(), known.begin(), known.end());
  throw Error(ErrorKind::io, fmt::format("'{}' is neither a file here nor a known data set ({}){}", source, join(known),
                                         suggestion(source, candidates)));
}

Dataset load_folder(const LoadOptions& options) {
  const fs::path folder = options.source;
  if (is_idx_folder(folder)) return load_idx_folder(folder, options.task);
  if (is_cifar10_folder(folder)) return load_cifar10_folder(folder, options.task);
  if (is_picture_folder(folder)) return load_picture_folder(folder, options.task, options.pictures);
  throw Error(ErrorKind::data, fmt::format("folder '{}' holds neither IDX files (train-images-idx3-ubyte[.gz], "
                                           "train-labels-idx1-ubyte[.gz]) nor CIFAR-10 batches (data_batch_1.bin to 5) "
                                           "nor one folder per class with PNG or JPEG pictures in it",
                                           folder.string()));
}

enum class Format { folder, npy, npz, table };

Format format_of(const fs::path& path) {
  if (path == "-") return Format::table;
  if (fs::is_directory(path)) return Format::folder;
  const std::string extension = path.extension().string();
  if (extension == ".xlsx" || extension == ".xlsm" || extension == ".ods") {
    throw Error(ErrorKind::data, fmt::format("'{}' is a spreadsheet, which is not read; save it as CSV, or in Python: "
                                             "pandas.read_excel('{}').to_csv('table.csv', index=False)",
                                             path.string(), path.string()));
  }
  if (extension == ".npy") return Format::npy;
  if (extension == ".npz") return Format::npz;
  if (!fs::is_regular_file(path)) return Format::table;  // a pipe can be read only once
  FileSource source(path);
  char start[6] = {};
  const std::string_view magic(start, source.read(start));
  if (magic == "\x93NUMPY") return Format::npy;
  if (magic.starts_with("PK\x03\x04")) return Format::npz;
  if (magic.starts_with(std::string_view("\0\0\x08", 3))) {
    throw Error(ErrorKind::data,
                fmt::format("'{}' is a single IDX file; give the folder that holds images and labels", path.string()));
  }
  return Format::table;
}

void check_options(const LoadOptions& options, bool is_npy, bool is_npz, bool is_table) {
  const TableOptions& table = options.table;
  const bool table_options = !table.ignore.empty() || !table.only.empty() || !table.categorical.empty() ||
                             !table.numeric.empty() || table.missing != MissingRule::median || table.decimal ||
                             table.separator || table.no_header || table.header;
  if (table_options && !is_table) {
    throw Error(ErrorKind::usage,
                fmt::format("options for the columns of a text table were given; '{}' is none", options.source));
  }
  if (!options.arrays.empty() && !is_npz) {
    throw Error(ErrorKind::usage, fmt::format("array names go with an .npz file; '{}' is none", options.source));
  }
  if (!options.targets.empty() && !is_npy) {
    throw Error(ErrorKind::usage,
                fmt::format("a file of targets goes with an .npy file of inputs; '{}' brings its own", options.source));
  }
  if (!options.target_column.empty() && !is_table) {
    throw Error(ErrorKind::usage, fmt::format("a target column is one of a text table; '{}' is none", options.source));
  }
}

Dataset load(const LoadOptions& options) {
  const std::vector<std::string> known = known_names();
  if (std::find(known.begin(), known.end(), options.source) != known.end()) {
    check_options(options, false, false, false);
    return load_known(options.source, options.data_folder, options.task);
  }
  if (options.source != "-" && !fs::exists(options.source)) fail_missing(options.source);
  const Format format = format_of(options.source);
  check_options(options, format == Format::npy, format == Format::npz, format == Format::table);
  switch (format) {
    case Format::folder: return load_folder(options);
    case Format::npy: return load_npy(options.source, options.targets, options.task);
    case Format::npz: return load_npz(options.source, options.arrays, options.task);
    case Format::table: return internal::load_table(options);
  }
  throw Error(ErrorKind::internal, "unreachable data format");
}

}  // namespace

Dataset load_table_text(std::string_view text, const LoadOptions& options) {
  check_options(options, false, false, true);
  try {
    return internal::table_dataset(text, options);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::resource, fmt::format("not enough memory to hold '{}'", options.source));
  }
}

Dataset load_dataset(const LoadOptions& options) {
  if (options.source.empty()) throw Error(ErrorKind::usage, "no data set was named");
  try {
    return load(options);
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, fmt::format("cannot read '{}': {}", options.source, error.code().message()));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::resource, fmt::format("not enough memory to hold '{}'", options.source));
  }
}

}  // namespace priorfit

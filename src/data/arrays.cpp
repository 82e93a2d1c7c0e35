#include "data/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/npy.hpp"
#include "arrays/npz.hpp"
#include "data/row_notes.hpp"
#include "data/targets.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;
using internal::note_rows;

struct NamedArray {
  NpyArray array;
  std::string name;  // for messages
};

void check_finite(const NamedArray& named) {
  if (named.array.header.type.is_integer() || named.array.header.type.is_text()) return;
  const Matrix& values = named.array.values;
  for (Index r = 0; r < values.rows(); ++r) {
    if (values.row(r).allFinite()) continue;
    Index c = 0;
    while (std::isfinite(values(r, c))) ++c;
    throw Error(ErrorKind::data, fmt::format("{}: row {}, column {} (from 0) is {}, not a finite number", named.name, r,
                                             c, values(r, c)));
  }
}

void check_pair(const NamedArray& inputs, const NamedArray& targets) {
  check_finite(inputs);
  check_finite(targets);
  if (inputs.array.header.shape.empty() || targets.array.header.shape.empty()) {
    const NamedArray& scalar = inputs.array.header.shape.empty() ? inputs : targets;
    throw Error(ErrorKind::data, scalar.name + ": a single number, not an array with one row a sample");
  }
  if (inputs.array.header.type.is_text()) {
    throw Error(ErrorKind::data,
                fmt::format("{} holds text; inputs must be numbers: put names into a text table, whose "
                            "categories are understood",
                            inputs.name));
  }
  if (inputs.array.header.rows() != targets.array.header.rows()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} rows but {} has {}", inputs.name, inputs.array.header.rows(),
                                             targets.name, targets.array.header.rows()));
  }
}

// Bytes in more than two dimensions, or that reach full intensity, are taken for pictures.
void detect_image(Dataset& dataset, const NpyArray& inputs) {
  const NpyType& type = inputs.header.type;
  if (type.kind != NpyType::Kind::unsigned_integer || type.bytes != 1) return;
  if (inputs.header.shape.size() <= 2 && inputs.values.maxCoeff() != 255.0) return;
  dataset.pixel_maximum = 255.0;
  dataset.notes.push_back("inputs are bytes: taken for pictures with full intensity 255");
}

// All but the targets, which need those of both parts.
Dataset with_inputs(const std::string& name, NamedArray inputs) {
  Dataset dataset;
  dataset.name = name;
  detect_image(dataset, inputs.array);
  dataset.train.inputs = std::move(inputs.array.values);
  return dataset;
}

NamedArray read_file_array(const fs::path& path) {
  FileSource source(path);
  return {read_npy(source), path.string()};
}

void set_targets(Dataset& dataset, NamedArray train, std::optional<NamedArray> test, const std::string& name,
                 std::optional<Task> task) {
  if (!train.array.header.type.is_text()) {
    const bool integers = train.array.header.type.is_integer();
    Matrix test_values = test ? std::move(test->array.values) : Matrix();
    return set_numeric_targets(dataset, std::move(train.array.values), std::move(test_values), name, task, integers);
  }
  if (task == Task::regression) {
    throw Error(ErrorKind::usage, fmt::format("{} holds names, and regression needs numbers", train.name));
  }
  set_text_targets(dataset, train.array.texts, test ? test->array.texts : std::vector<std::string>(), name);
}

// The names of inputs and targets, of both again for a test split: those wanted, or the usual ones.
struct ArrayNames {
  std::vector<std::string> inputs, targets, test_inputs, test_targets;  // any of them will do
};

ArrayNames names_for(const NpzFile& file, const fs::path& path, const std::vector<std::string>& wanted) {
  if (wanted.empty()) {
    return {
        {"X", "x", "X_train", "x_train"}, {"y", "Y", "y_train", "Y_train"}, {"X_test", "x_test"}, {"y_test", "Y_test"}};
  }
  if (wanted.size() != 2 && wanted.size() != 4) {
    throw Error(ErrorKind::usage,
                fmt::format("{} array names; give two, inputs and targets, or four, with those of the "
                            "test split behind",
                            wanted.size()));
  }
  const std::vector<std::string> there = file.array_names();
  for (const std::string& name : wanted) {
    if (std::find(there.begin(), there.end(), name) != there.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("{}: there is no array '{}'{}; it holds: {}", path.string(), name,
                                              suggestion(name, there), join(there)));
  }
  ArrayNames names{{wanted[0]}, {wanted[1]}, {}, {}};
  if (wanted.size() == 4) names.test_inputs = {wanted[2]}, names.test_targets = {wanted[3]};
  return names;
}

std::optional<NamedArray> find_array(const NpzFile& file, const fs::path& path, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (auto array = file.read(name))
      return NamedArray{std::move(*array), fmt::format("{}, array {}", path.string(), name)};
  }
  return std::nullopt;
}

NamedArray need_array(const NpzFile& file, const fs::path& path, const std::vector<std::string>& names) {
  auto array = find_array(file, path, names);
  if (array) return std::move(*array);
  throw Error(ErrorKind::data, fmt::format("{}: no array {}; it holds: {}. Name the arrays of inputs and targets",
                                           path.string(), names.front(), join(file.array_names())));
}

}  // namespace

Dataset load_npy(const fs::path& inputs, const fs::path& targets, std::optional<Task> task) {
  if (targets.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' holds inputs only; name the file of targets as well", inputs.string()));
  }
  NamedArray x = read_file_array(inputs);
  NamedArray y = read_file_array(targets);
  check_pair(x, y);
  Dataset dataset = with_inputs(inputs.string(), std::move(x));
  set_targets(dataset, std::move(y), {}, targets.stem().string(), task);
  note_rows(dataset);
  return dataset;
}

Dataset load_npz(const fs::path& path, const std::vector<std::string>& arrays, std::optional<Task> task) {
  const NpzFile file(path);
  const ArrayNames names = names_for(file, path, arrays);
  NamedArray inputs = need_array(file, path, names.inputs);
  NamedArray targets = need_array(file, path, names.targets);
  auto test_inputs = find_array(file, path, names.test_inputs);
  auto test_targets = find_array(file, path, names.test_targets);
  if (test_inputs.has_value() != test_targets.has_value()) {
    throw Error(ErrorKind::data, fmt::format("{}: X_test and y_test must come together; only {} is there",
                                             path.string(), test_inputs ? "X_test" : "y_test"));
  }
  check_pair(inputs, targets);
  Dataset dataset = with_inputs(path.string(), std::move(inputs));
  if (test_inputs) {
    check_pair(*test_inputs, *test_targets);
    dataset.test.inputs = std::move(test_inputs->array.values);
    const bool same_kind = test_targets->array.header.type.is_text() == targets.array.header.type.is_text();
    if (dataset.test.inputs.cols() != dataset.train.inputs.cols() || !same_kind ||
        test_targets->array.values.cols() != targets.array.values.cols()) {
      throw Error(ErrorKind::data, fmt::format("{}: X_test and y_test have other columns than X and y", path.string()));
    }
  }
  set_targets(dataset, std::move(targets), std::move(test_targets), "y", task);
  note_rows(dataset);
  return dataset;
}

}  // namespace priorfit::internal

namespace priorfit {
using namespace internal;

Dataset make_dataset(ArrayData arrays, std::optional<Task> task) {
  NamedArray x{{}, arrays.name}, y{{}, arrays.target_name};
  if (arrays.bytes) x.array.header.type = {NpyType::Kind::unsigned_integer, 1};
  x.array.header.shape.assign(arrays.more_dimensions ? 3 : 2, 1);
  x.array.header.shape.front() = arrays.inputs.rows();
  x.array.values = std::move(arrays.inputs);
  if (arrays.whole_numbers) y.array.header.type.kind = NpyType::Kind::signed_integer;
  y.array.header.shape = {arrays.targets.rows()};
  if (!arrays.names.empty()) {
    y.array.header.type.kind = NpyType::Kind::wide_text;
    y.array.header.shape = {static_cast<Index>(arrays.names.size())};
  }
  y.array.values = std::move(arrays.targets);
  y.array.texts = std::move(arrays.names);
  check_pair(x, y);
  Dataset dataset = with_inputs(arrays.name, std::move(x));
  set_targets(dataset, std::move(y), {}, arrays.target_name, task);
  note_rows(dataset);
  return dataset;
}

}  // namespace priorfit

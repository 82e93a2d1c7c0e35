#include "data/arrays.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arrays/npy.hpp"
#include "arrays/npz.hpp"
#include "data/targets.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace {

namespace fs = std::filesystem;

struct NamedArray {
  NpyArray array;
  std::string name;  // for messages
};

void check_finite(const NamedArray& named) {
  if (named.array.header.type.is_integer()) return;
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
  if (inputs.array.values.rows() != targets.array.values.rows()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} rows but {} has {}", inputs.name, inputs.array.values.rows(),
                                             targets.name, targets.array.values.rows()));
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

std::optional<NamedArray> find_array(const NpzFile& file, const fs::path& path,
                                     std::initializer_list<std::string_view> names) {
  auto array = file.read_any(names);
  if (!array) return std::nullopt;
  return NamedArray{std::move(*array), fmt::format("{}, array {}", path.string(), *names.begin())};
}

NamedArray need_array(const NpzFile& file, const fs::path& path, std::initializer_list<std::string_view> names) {
  auto array = find_array(file, path, names);
  if (array) return std::move(*array);
  throw Error(ErrorKind::data, fmt::format("{}: no array {} (arrays X and y are read); it holds: {}", path.string(),
                                           *names.begin(), join(file.array_names())));
}

}  // namespace

Dataset load_npy(const fs::path& inputs, const fs::path& targets, std::optional<Task> task) {
  if (targets.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' holds inputs only; name the file of targets with --targets", inputs.string()));
  }
  NamedArray x = read_file_array(inputs);
  NamedArray y = read_file_array(targets);
  check_pair(x, y);
  Dataset dataset = with_inputs(inputs.string(), std::move(x));
  set_numeric_targets(dataset, std::move(y.array.values), {}, targets.stem().string(), task);
  return dataset;
}

Dataset load_npz(const fs::path& path, std::optional<Task> task) {
  const NpzFile file(path);
  NamedArray inputs = need_array(file, path, {"X", "x"});
  NamedArray targets = need_array(file, path, {"y", "Y"});
  auto test_inputs = find_array(file, path, {"X_test", "x_test"});
  auto test_targets = find_array(file, path, {"y_test", "Y_test"});
  if (test_inputs.has_value() != test_targets.has_value()) {
    throw Error(ErrorKind::data, fmt::format("{}: X_test and y_test must come together; only {} is there",
                                             path.string(), test_inputs ? "X_test" : "y_test"));
  }
  check_pair(inputs, targets);
  Dataset dataset = with_inputs(path.string(), std::move(inputs));
  Matrix train_values = std::move(targets.array.values);
  Matrix test_values;
  if (test_inputs) {
    check_pair(*test_inputs, *test_targets);
    dataset.test.inputs = std::move(test_inputs->array.values);
    test_values = std::move(test_targets->array.values);
    if (dataset.test.inputs.cols() != dataset.train.inputs.cols() || test_values.cols() != train_values.cols()) {
      throw Error(ErrorKind::data, fmt::format("{}: X_test and y_test have other columns than X and y", path.string()));
    }
  }
  set_numeric_targets(dataset, std::move(train_values), std::move(test_values), "y", task);
  return dataset;
}

}  // namespace priorfit

// NumPy arrays, as inputs and as targets at once. What is read must be written and read again as the same numbers.
#include "arrays/npy.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>

#include "harness.hpp"
#include "mutate.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"

PRIORFIT_MUTATE(mutate_npy)

namespace {

using namespace priorfit;
using namespace priorfit::internal;

NpyArray read(std::string_view bytes) {
  MemorySource source(bytes, "input");
  return read_npy(source);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void write_and_read(const NpyArray& array) {
  const Matrix& values = array.values;
  const NpyArray again = read(npy_bytes(values, array.header.shape));
  std::vector<float> floats(static_cast<std::size_t>(values.size()));
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const double value = values.data()[i];
    floats[i] = std::abs(value) > 3e38 ? 0.0F : static_cast<float>(value);
  }
  const NpyArray single = read(npy_bytes(floats.data(), array.header.shape));
  if (again.values.size() != values.size() || single.values.size() != values.size()) std::abort();
  for (Index i = 0; i < values.size(); ++i) {
    if (!same(again.values.data()[i], values.data()[i])) std::abort();
    if (!same(single.values.data()[i], floats[static_cast<std::size_t>(i)])) std::abort();
  }
}

/// As arrays that are at hand already, such as Python's.
void describe_held(const NpyArray& array) {
  ArrayData held{.inputs = array.values, .targets = array.values.leftCols(std::min<Index>(1, array.values.cols()))};
  held.bytes = array.header.type.kind == NpyType::Kind::unsigned_integer && array.header.type.bytes == 1;
  held.whole_numbers = array.header.type.is_integer();
  held.more_dimensions = array.header.shape.size() > 2;
  if (array.header.type.is_text()) {
    held.names = array.texts;
    held.inputs = Matrix::Ones(static_cast<Index>(array.texts.size()), 2);
    held.targets = {};
  }
  describe(make_dataset(std::move(held)));
}

}  // namespace

PRIORFIT_FUZZ(bytes) {
  static const fuzz::Folder folder;
  folder.set("X.npy", bytes);
  static const std::string path = folder.path("X.npy").string();
  constexpr std::optional<Task> tasks[] = {{}, {}, {}, Task::regression, Task::classification};
  LoadOptions options{.source = path, .targets = path, .task = tasks[bytes.size() % 5]};
  if (bytes.size() % 32 == 31) options.targets.clear();
  try {
    describe(load_dataset(options));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  const NpyArray array = read(bytes);
  if (!array.header.type.is_text()) write_and_read(array);
  if (bytes.size() % 4 == 0) describe_held(array);
}

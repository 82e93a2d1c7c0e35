// Text tables and JSON Lines, plain and gzipped, to the features they become, and to the recipe read back and applied
// to the same table. The first byte chooses the task, the target column and how the table is to be read.
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  static const fuzz::MemoryFile file;
  file.set(bytes.substr(1));
  LoadOptions options{.source = file.path().string()};
  if ((choice & 3) == 1) options.task = Task::classification;
  if ((choice & 3) == 2) options.task = Task::regression;
  if ((choice & 4) != 0) options.target_column = "1";
  if ((choice & 8) != 0) options.target_column = "y";
  if ((choice & 16) != 0) options.table.no_header = true;
  if ((choice & 32) != 0) options.table.decimal = ',';
  if ((choice & 64) != 0) options.table.missing = MissingRule::drop;
  if ((choice & 128) != 0) options.table.categorical = {"2"};
  Dataset dataset = load_dataset(options);
  describe(dataset);
  // Features may be more than the table: thirty for a category. That is checked against memory, not against the file.
  if (dataset.train.inputs.cols() > 40 || dataset.output_names.size() > 40) return;
  apply(prepare(std::move(dataset), {.test_fraction = 0.3}).preparation, options);
}

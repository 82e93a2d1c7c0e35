// Text tables, plain and gzipped, to the data set they make. The first byte chooses task and target column.
#include "harness.hpp"
#include "priorfit/dataset.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  const fuzz::MemoryFile file(bytes.substr(1));
  LoadOptions options{.source = file.path().string()};
  if ((choice & 3) == 1) options.task = Task::classification;
  if ((choice & 3) == 2) options.task = Task::regression;
  if ((choice & 4) != 0) options.target_column = "1";
  if ((choice & 8) != 0) options.target_column = "y";
  describe(load_dataset(options));
}

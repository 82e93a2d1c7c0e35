// Specifications of experiments. One that is accepted must be written and read again with the same fields.
#include <cstdlib>

#include "experiment/specification.hpp"
#include "harness.hpp"
#include "priorfit/experiment.hpp"

PRIORFIT_FUZZ(bytes) {
  using namespace priorfit;
  using namespace priorfit::internal;
  static const fuzz::MemoryFile file;
  file.set(bytes);
  const ExperimentSpecification found = read_specification(file.path());
  const std::string text = to_toml(found);
  if (to_toml(parse_specification(text, "written")) != text) std::abort();
}

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "experiment/plan.hpp"
#include "priorfit/error.hpp"
#include "priorfit/experiment.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;

ExperimentSpecification experiment_preset(std::string_view name) {
  ExperimentSpecification specification;
  specification.data.source = "mnist";
  specification.training.loss = Loss::squared;  // as the paper has it
  if (name == "paper-curves") {
    specification.sizes = {1000, 3000, 5000};
  } else if (name == "paper-table") {
    specification.sizes = {10000, 20000, 30000, 40000, 50000};
  } else {
    throw Error(ErrorKind::usage, fmt::format("preset '{}' is unknown{} (paper-curves, paper-table)", name,
                                              suggestion(name, {"paper-curves", "paper-table"})));
  }
  return specification;
}

void ExperimentSpecification::validate() const {
  const auto require = [](bool rule, const std::string& message) {
    if (!rule) throw Error(ErrorKind::usage, message);
  };
  require(!data.source.empty(), "data.source is empty: name a data set");
  require(test_fraction > 0 && test_fraction < 1,
          fmt::format("test_fraction is {}: it must be between 0 and 1", test_fraction));
  require(!sizes.empty(), "sizes is empty: name at least one training size");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require(sizes[i] >= 2 && (i == 0 || sizes[i] > sizes[i - 1]),
            fmt::format("sizes is {}: each must be at least 2, ascending without repetition", fmt::join(sizes, ", ")));
  }
  require(seeds >= 1, fmt::format("seeds is {}: it must be at least 1", seeds));
  require(
      seed <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - static_cast<std::uint64_t>(seeds),
      fmt::format("seed is {}: it must stay below 2^63 with seeds added", seed));  // what TOML and SQLite can hold
  network.validate();
  require(!weight_variances.empty(), "weight_variances is empty");
  require(!bias_variances.empty(), "bias_variances is empty");
  internal::judging_options(*this).validate();
  training.validate();
}

}  // namespace priorfit

// Samples of growing size, until the maximum stays where it is.
#pragma once

#include <functional>
#include <memory>

#include "search/continuous.hpp"

namespace priorfit::internal {

/// The criterion on `samples` of the rows, drawn by `seed`.
using SampleMaker = std::function<std::shared_ptr<SmoothCriterion>(Index samples, std::uint64_t seed)>;

struct GrownSample {
  Growth growth;
  std::shared_ptr<SmoothCriterion> criterion;  // of the last size's first subset
  Maximum maximum;                             // there
  Index starts = 0;                            // at the first size, as are the
  std::vector<LocalOptimum> other_optima = {};
};

/// rows: there are in all; seed: of the first subset, which is the one that a fixed sample draws
GrownSample grow_sample(const SampleMaker& sample, Index rows, std::uint64_t seed, const Family& family,
                        const GrowthOptions& growth, const MaximumOptions& options, const RunContext& context);

}  // namespace priorfit::internal

#include "search/growing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/statistics.hpp"
#include "support/stopwatch.hpp"

namespace priorfit::internal {
namespace {

/// The k-th subset's stream; the first is the one that a fixed sample draws.
std::uint64_t subset_seed(std::uint64_t seed, Index k) {
  return seed + static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u;
}

/// The median of each coordinate.
Initialisation median_start(const Family& family, const GrowthStep& step) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < family.size(); ++i) {
    std::vector<double> values;
    for (const Candidate& candidate : step.optima) values.push_back(family.nearest_values(candidate.start)[i]);
    medians.push_back(median(values));
  }
  return family.at(medians);
}

double spread(const Family& family, const GrowthStep& step) {
  double largest = 0.0;
  for (const Candidate& a : step.optima) {
    for (const Candidate& b : step.optima) largest = std::max(largest, family_distance(family, a.start, b.start));
  }
  return largest;
}

/// All subsets of one size, each from its own maximum of the size before; the first ever from cold.
class Grower {
 public:
  Grower(const SampleMaker& sample, Index rows, std::uint64_t seed, const Family& family, const GrowthOptions& growth,
         const MaximumOptions& options, const RunContext& context)
      : sample_(sample),
        rows_(rows),
        seed_(seed),
        family_(family),
        growth_(growth),
        options_(options),
        context_(context) {}

  GrowthStep step(Index samples) {
    const Stopwatch watch;
    GrowthStep step;
    step.samples = samples;
    const Index count = samples == rows_ ? 1 : growth_.subsets;
    for (Index k = 0; k < count; ++k) {
      std::shared_ptr<SmoothCriterion> part = sample_(samples, subset_seed(seed_, k));
      part->meter().begin_stage(context_, fmt::format("search at {} samples, subset {} of {}", samples, k + 1, count));
      MaximumSearch search(*part, family_, options_);
      const bool known = k < static_cast<Index>(maxima_.size());
      const SearchOutcome outcome =
          maxima_.empty() ? search.cold() : search.warm(known ? maxima_[static_cast<std::size_t>(k)] : maxima_.front());
      if (maxima_.empty()) {
        starts_ = outcome.starts;
        other_optima_.assign(outcome.optima.begin() + 1, outcome.optima.end());
      }
      if (known) {
        maxima_[static_cast<std::size_t>(k)] = outcome.best;
      } else {
        maxima_.push_back(outcome.best);
      }
      step.optima.push_back(search.candidate_at(outcome.best));
      if (k == 0) first_ = std::move(part);
    }
    step.spread = spread(family_, step);
    step.seconds = watch.seconds();
    return step;
  }

  void hand_over(GrownSample& result) {
    result.criterion = std::move(first_);
    result.maximum = maxima_.front();
    result.starts = starts_;
    result.other_optima = std::move(other_optima_);
  }

 private:
  const SampleMaker& sample_;
  Index rows_;
  std::uint64_t seed_;
  const Family& family_;
  const GrowthOptions& growth_;
  const MaximumOptions& options_;
  const RunContext& context_;
  std::vector<Maximum> maxima_;  // one per subset
  std::shared_ptr<SmoothCriterion> first_;
  Index starts_ = 0;
  std::vector<LocalOptimum> other_optima_;
};

}  // namespace

GrownSample grow_sample(const SampleMaker& sample, Index rows, std::uint64_t seed, const Family& family,
                        const GrowthOptions& growth, const MaximumOptions& options, const RunContext& context) {
  const Stopwatch watch;
  Grower grower(sample, rows, seed, family, growth, options, context);
  GrownSample result;
  result.growth.tolerance = growth.tolerance;
  std::vector<GrowthStep>& steps = result.growth.steps;
  for (Index samples = std::min(growth.first_size, rows);;) {
    steps.push_back(grower.step(samples));
    GrowthStep& last = steps.back();
    if (steps.size() > 1) {
      last.moved = family_distance(family, median_start(family, steps[steps.size() - 2]), median_start(family, last));
    }
    if (last.moved && *last.moved <= growth.tolerance && last.spread <= growth.tolerance) {
      result.growth.settled = true;
      result.growth.ended_by = "settled";
      break;
    }
    if (samples == rows) {
      result.growth.ended_by = "all rows";
      break;
    }
    const Index next = std::min(2 * samples, rows);
    const double expected = last.seconds * std::pow(static_cast<double>(next) / static_cast<double>(samples), 3.0);
    if (watch.seconds() + expected > growth.time_limit) {
      result.growth.ended_by = "time limit";
      break;
    }
    samples = next;
  }
  grower.hand_over(result);
  return result;
}

}  // namespace priorfit::internal

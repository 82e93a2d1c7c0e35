#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recommend/parts.hpp"
#include "support/random.hpp"

namespace priorfit {
namespace {

/// The k-th subset's stream; the first is the one that --samples N draws.
std::uint64_t subset_seed(std::uint64_t seed, Index k) {
  return seed + static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

LayerPrior median_pair(const GrowthStep& step) {
  std::vector<double> weights, biases;
  for (const EvidenceCell& cell : step.optima) {
    weights.push_back(cell.prior.weight_variance);
    biases.push_back(cell.prior.bias_variance);
  }
  return {median(weights), median(biases)};
}

double spread(const GrowthStep& step) {
  double largest = 0.0;
  for (const EvidenceCell& a : step.optima) {
    for (const EvidenceCell& b : step.optima) largest = std::max(largest, pair_distance(a.prior, b.prior));
  }
  return largest;
}

/// All subsets of one size, each from its own maximum of the size before; the first ever from cold.
class Grower {
 public:
  Grower(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options, CostMeter& meter)
      : data_(data), network_(network), options_(options), meter_(meter) {}

  GrowthStep step(Index samples) {
    const Stopwatch watch;
    GrowthStep step;
    step.samples = samples;
    const Index count = samples == data_.train.size() ? 1 : options_.growth->subsets;
    for (Index k = 0; k < count; ++k) {
      meter_.begin_stage(fmt::format("search at {} samples, subset {} of {}", samples, k + 1, count));
      PreparedData part = subset(data_, samples, subset_seed(data_.seed, k));
      ContinuousSearch search(part.train.inputs, part.train.targets, network_, options_, meter_, part.seed);
      const bool known = k < static_cast<Index>(maxima_.size());
      const SearchOutcome outcome =
          maxima_.empty() ? search.cold() : search.warm(known ? maxima_[std::size_t(k)] : maxima_.front());
      if (maxima_.empty()) {
        starts_ = outcome.starts;
        other_optima_.assign(outcome.optima.begin() + 1, outcome.optima.end());
      }
      if (known) {
        maxima_[std::size_t(k)] = outcome.best;
      } else {
        maxima_.push_back(outcome.best);
      }
      step.optima.push_back({search.space().to_model(outcome.best.point).prior, outcome.gradient.evidence});
      if (k == 0) first_ = std::move(part);
    }
    step.spread = spread(step);
    step.seconds = watch.seconds();
    return step;
  }

  PreparedData take_first() { return std::move(first_); }
  const Maximum& first_maximum() const { return maxima_.front(); }
  Index starts() const { return starts_; }
  const std::vector<LocalOptimum>& other_optima() const { return other_optima_; }

 private:
  const PreparedData& data_;
  const NetworkSpec& network_;
  const RecommendOptions& options_;
  CostMeter& meter_;
  std::vector<Maximum> maxima_;  // one a subset
  PreparedData first_;
  Index starts_ = 0;
  std::vector<LocalOptimum> other_optima_;
};

}  // namespace

PreparedData subset(const PreparedData& data, Index samples, std::uint64_t seed) {
  PreparedData part;
  part.name = data.name;
  part.task = data.task;
  part.rows = data.rows;
  part.seed = data.seed;
  part.preprocess = data.preprocess;
  part.output_names = data.output_names;
  part.notes = data.notes;
  part.target_shift = data.target_shift;
  part.target_scale = data.target_scale;
  if (samples >= data.train.size()) {
    part.train = data.train;
    return part;
  }
  part.train.inputs.resize(samples, data.features());
  part.train.targets.resize(samples, data.outputs());
  const auto rows = draw_without_replacement(data.train.size(), samples, RandomStream(seed, RandomUse::rows));
  for (Index i = 0; i < samples; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    part.train.inputs.row(i) = data.train.inputs.row(row);
    part.train.targets.row(i) = data.train.targets.row(row);
    if (!data.train.labels.empty()) part.train.labels.push_back(data.train.labels[static_cast<std::size_t>(row)]);
  }
  return part;
}

GrownSample grow_sample(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                        CostMeter& meter) {
  const GrowthOptions& growth = *options.growth;
  const Stopwatch watch;
  Grower grower(data, network, options, meter);
  GrownSample result;
  result.growth.tolerance = growth.tolerance;
  std::vector<GrowthStep>& steps = result.growth.steps;
  for (Index samples = std::min(growth.first_size, data.train.size());;) {
    steps.push_back(grower.step(samples));
    GrowthStep& last = steps.back();
    if (steps.size() > 1) last.moved = pair_distance(median_pair(steps[steps.size() - 2]), median_pair(last));
    if (last.moved && *last.moved <= growth.tolerance && last.spread <= growth.tolerance) {
      result.growth.settled = true;
      result.growth.ended_by = "settled";
      break;
    }
    if (samples == data.train.size()) {
      result.growth.ended_by = "all rows";
      break;
    }
    const Index next = std::min(2 * samples, data.train.size());
    const double expected = last.seconds * std::pow(static_cast<double>(next) / static_cast<double>(samples), 3.0);
    if (watch.seconds() + expected > growth.time_limit) {
      result.growth.ended_by = "time limit";
      break;
    }
    samples = next;
  }
  result.maximum = grower.first_maximum();
  result.data = grower.take_first();
  result.starts = grower.starts();
  result.other_optima = grower.other_optima();
  return result;
}

}  // namespace priorfit

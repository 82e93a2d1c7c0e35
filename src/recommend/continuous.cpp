#include "recommend/continuous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/error.hpp"
#include "recommend/promising_pairs.hpp"
#include "recommend/starts.hpp"
#include "support/random.hpp"

namespace priorfit {
namespace {

// Starts are tried at this size: a factorisation costs 1/512 of one at 2000 samples.
constexpr Index start_samples = 250;
// A maximum of so few is a poor guess, and its curvature a poor metric. At this share of the whole a gradient costs a
// twenty-third of one at full size, and those saved there pay for it (docs/decisions/0004).
constexpr double middle_share = 0.35;
constexpr double rough = 1e-2;  // tolerance of the place, for samples that only prepare the next
// Local maxima closer than this in every coordinate are one.
constexpr double distinct = 0.05;
// A maximum of the small sample is refined unless it lies this far below the best at full size, in nats per value.
constexpr double reach = 0.05;

struct SmallSample {
  Matrix inputs, targets;

  /// Drawn, not the first rows: a table may be sorted.
  SmallSample(const MatrixView& all_inputs, const MatrixView& all_targets, Index samples, std::uint64_t seed)
      : inputs(samples, all_inputs.cols()), targets(samples, all_targets.cols()) {
    const auto rows = draw_without_replacement(all_inputs.rows(), samples, RandomStream(seed, RandomUse::rows));
    for (Index i = 0; i < samples; ++i) {
      inputs.row(i) = all_inputs.row(rows[static_cast<std::size_t>(i)]);
      targets.row(i) = all_targets.row(rows[static_cast<std::size_t>(i)]);
    }
  }
};

bool is_known(const std::vector<Maximum>& maxima, const Point& point) {
  return std::any_of(maxima.begin(), maxima.end(), [&](const Maximum& maximum) {
    return (maximum.point - point).lpNorm<Eigen::Infinity>() < distinct;
  });
}

LocalOptimum describe(const Maximum& maximum, const SearchSpace& space, Index samples) {
  return {{space.to_model(maximum.point).prior, maximum.evidence}, samples};
}

[[noreturn]] void throw_hopeless(EvidenceEngine& engine, const SearchSpace& space) {
  const Point lowest = space.clamp(Point::Constant(-1e300)), highest = space.clamp(Point::Constant(1e300));
  const auto [prior, noise] = space.to_model(0.5 * (lowest + highest));
  const std::string remark = engine.evaluate(prior, noise).remark();
  throw Error(ErrorKind::numerical,
              fmt::format("no start of the search could be factored; at ({:.3g}, {:.3g}): {}", prior.weight_variance,
                          prior.bias_variance,
                          remark.empty() ? "variances grow too much from layer to layer; smaller --weight-bounds help"
                                         : remark));
}

}  // namespace

ContinuousSearch::ContinuousSearch(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                                   const RecommendOptions& options, CostMeter& meter, std::uint64_t seed)
    : inputs_(inputs),
      targets_(targets),
      network_(network),
      options_(options),
      meter_(meter),
      seed_(seed),
      space_(options),
      objective_(std::make_unique<EvidenceObjective>(inputs, targets, network, space_, options, meter)) {}

/// In the coordinates, for searches whose evaluations are cheap: where a curvature per value of 1 would leave
/// options.tolerance to gain, and no less than four digits.
double ContinuousSearch::place_tolerance() const {
  return std::min(1e-4, std::sqrt(2 * options_.tolerance / objective_->values()));
}

/// Distinct local maxima of one sample, the best first. Sets the noise offset on the way.
std::vector<Maximum> ContinuousSearch::maxima_of(EvidenceObjective& sample, double tolerance, Index& count) {
  std::vector<ModelPoint> starts;
  const StartCandidates candidates{.along = {5, is_shallow(network_) ? 3 : 5, 4},
                                   .pairs = promising_pairs(network_, space_, sample.scale()),
                                   .costly_covariance = !is_shallow(network_)};
  for (const Point& start : choose_starts(sample, space_, candidates)) starts.push_back(space_.to_model(start));
  count = static_cast<Index>(starts.size());
  if (!starts.empty() && space_.is_free(2)) {
    const EvidenceGradient quiet = sample.engine().evaluate_with_gradient(starts.front().prior, space_.bounds(2).lower);
    meter_.factorization(sample.samples());
    meter_.gradient(sample.samples());
    if (quiet.ok()) space_.set_noise_offset(static_cast<double>(sample.samples()) / quiet.inverse_trace);
  }
  std::vector<Maximum> maxima;
  for (const ModelPoint& start : starts) {
    const auto found = maximize(std::ref(sample), space_.to_point(start), space_, {.tolerance = tolerance});
    if (!found || is_known(maxima, found->point)) continue;
    const Evidence evidence = sample.gradient_at(found->point).evidence;
    maxima.push_back({found->point, evidence,
                      curvature_at(std::ref(sample), found->point, found->gradient, space_, CurvatureOf::free),
                      space_.offset(2)});
  }
  std::stable_sort(maxima.begin(), maxima.end(),
                   [](const Maximum& a, const Maximum& b) { return a.evidence.per_value > b.evidence.per_value; });
  return maxima;
}

SearchOutcome ContinuousSearch::cold() {
  SearchOutcome outcome;
  Index starts = 0;
  if (inputs_.rows() <= start_samples) {
    const std::vector<Maximum> maxima = maxima_of(*objective_, place_tolerance(), starts);
    if (maxima.empty()) throw_hopeless(objective_->engine(), space_);
    outcome = outcome_at(maxima.front().point, maxima.front());
    for (const Maximum& maximum : maxima) outcome.optima.push_back(describe(maximum, space_, inputs_.rows()));
    outcome.starts = starts;
    return outcome;
  }
  const SmallSample small(inputs_, targets_, start_samples, seed_);
  EvidenceObjective small_objective(small.inputs, small.targets, network_, space_, options_, meter_);
  const std::vector<Maximum> maxima = maxima_of(small_objective, rough, starts);
  if (maxima.empty()) throw_hopeless(small_objective.engine(), space_);
  std::vector<Maximum> middle = {at_middle_size(maxima.front())};
  outcome = refine(middle.front());
  for (std::size_t i = 1; i < maxima.size(); ++i) {
    const Maximum start = at_middle_size(maxima[i]);
    if (is_known(middle, start.point)) continue;  // a maximum of the small sample only
    middle.push_back(start);
    if (!((*objective_)(start.point, nullptr) > outcome.best.evidence.per_value - reach)) {
      outcome.optima.push_back(describe(maxima[i], space_, start_samples));
      continue;
    }
    SearchOutcome other = refine(start);
    if ((other.best.point - outcome.best.point).lpNorm<Eigen::Infinity>() < distinct) continue;
    if (other.best.evidence.per_value > outcome.best.evidence.per_value) {
      other.optima.swap(outcome.optima);
      std::swap(other, outcome);
    }
    outcome.optima.push_back(describe(other.best, space_, inputs_.rows()));
  }
  outcome.optima.insert(outcome.optima.begin(), describe(outcome.best, space_, inputs_.rows()));
  outcome.starts = starts;
  return outcome;
}

SearchOutcome ContinuousSearch::warm(const Maximum& start) {
  space_.set_noise_offset(start.noise_offset);
  SearchOutcome outcome = refine(start);
  outcome.optima.push_back(describe(outcome.best, space_, inputs_.rows()));
  return outcome;
}

SearchOutcome ContinuousSearch::outcome_at(const Point& point, const Maximum& start) {
  SearchOutcome outcome;
  outcome.gradient = objective_->gradient_at(point);
  outcome.best = {point, outcome.gradient.evidence, start.curvature, space_.offset(2)};
  return outcome;
}

/// M4: without bias, one reduction of the covariance gives the maximum over scale and noise exactly. Where the slope in
/// σ_b² points below 0 at the start, that is most likely the maximum of all three, at the cost of 5 factorisations and
/// two gradients; climbing takes four gradients and more (docs/decisions/0004). Moves `start` there.
std::optional<EvidenceProfile> ContinuousSearch::along_the_ray(Maximum& start) {
  const bool possible = network_.activation.is_homogeneous() && space_.bounds(1).lower == 0 &&
                        space_.at_lower(start.point, 1) && EvidenceProfile::fits(inputs_.rows());
  if (!possible) return std::nullopt;
  const EvidenceGradient slope = objective_->gradient_at(start.point);
  if (!slope.ok() || slope.by_bias_variance > 0) return std::nullopt;
  EvidenceProfile ray = objective_->engine().profile(space_.to_model(start.point).prior);
  meter_.reduction(inputs_.rows());
  meter_.step();
  SearchSpace without_bias = space_;
  without_bias.fix(1);
  const auto found = maximize(profile_objective(ray, without_bias, objective_->values()), start.point, without_bias,
                              {.tolerance = std::min(place_tolerance(), 1e-7)});
  if (!found) return std::nullopt;
  start.point = found->point;
  return ray;
}

/// The maximum of a middle sample that is reached from `start`, with its curvature; `start` itself where that would not
/// pay.
Maximum ContinuousSearch::at_middle_size(const Maximum& start) {
  const auto samples = static_cast<Index>(middle_share * static_cast<double>(inputs_.rows()));
  if (samples < 2 * start_samples) return start;
  const SmallSample middle(inputs_, targets_, samples, seed_);
  EvidenceObjective objective(middle.inputs, middle.targets, network_, space_, options_, meter_);
  const auto found = polish(std::ref(objective), start.point, space_,
                            {.curvature = start.curvature, .gain = 1.0 / objective.values()});
  if (!found) return start;
  return {found->point, objective.gradient_at(found->point).evidence,
          curvature_at(std::ref(objective), found->point, found->gradient, space_, CurvatureOf::free),
          start.noise_offset};
}

SearchOutcome ContinuousSearch::refine(const Maximum& from) {
  Maximum start = from;
  std::optional<EvidenceProfile> ray = along_the_ray(start);
  if (ray) {
    SearchOutcome outcome = outcome_at(start.point, start);
    if (outcome.gradient.ok() && outcome.gradient.by_bias_variance <= 0) {
      outcome.ray = std::move(ray);
      return outcome;
    }
  }
  const auto found = polish(std::ref(*objective_), start.point, space_,
                            {.curvature = start.curvature, .gain = options_.tolerance / objective_->values()});
  if (!found) {
    throw Error(
        ErrorKind::numerical,
        fmt::format("the covariance of {} samples could not be factored near the maximum of fewer; raise the lower "
                    "bound of the noise variance",
                    inputs_.rows()));
  }
  SearchOutcome outcome = outcome_at(found->point, start);
  outcome.ray = std::move(ray);
  return outcome;
}

}  // namespace priorfit

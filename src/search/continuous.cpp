#include "search/continuous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evidence/factorization.hpp"
#include "priorfit/error.hpp"
#include "search/starts.hpp"

namespace priorfit::internal {
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

bool is_known(const std::vector<Maximum>& maxima, const Point& point) {
  return std::any_of(maxima.begin(), maxima.end(), [&](const Maximum& maximum) {
    return (maximum.point - point).lpNorm<Eigen::Infinity>() < distinct;
  });
}

[[noreturn]] void throw_hopeless(SmoothCriterion& criterion, const SearchSpace& space) {
  const Point lowest = space.clamp(Point::Constant(space.size(), -1e300));
  const Point highest = space.clamp(Point::Constant(space.size(), 1e300));
  const Place middle = space.to_place(0.5 * (lowest + highest));
  const Score score = criterion.score_at(middle.start, middle.nuisance);
  const bool grows = !criterion.is_worth_trying(middle.start) || score.ok();
  throw Error(
      ErrorKind::numerical,
      fmt::format("no start of the search could be judged; at {}: {}", to_string(middle.start),
                  grows ? "variances grow too much from layer to layer; a smaller upper end of weight_bounds helps"
                        : score.failure()));
}

}  // namespace

MaximumSearch::MaximumSearch(SmoothCriterion& criterion, const Family& family, const MaximumOptions& options)
    : criterion_(criterion), options_(options), space_(family, criterion.nuisance()) {}

Candidate MaximumSearch::candidate_at(const Maximum& maximum) const {
  Candidate candidate{.start = space_.to_place(maximum.point).start};
  candidate.set(criterion_.name(), maximum.score);
  return candidate;
}

LocalOptimum MaximumSearch::describe(const Maximum& maximum, Index samples) const {
  return {candidate_at(maximum), samples};
}

/// In the coordinates, for searches whose evaluations are cheap: where a curvature per value of 1 would leave
/// options.tolerance to gain, and no less than four digits.
double MaximumSearch::place_tolerance() const {
  return std::min(1e-4, std::sqrt(2 * options_.tolerance / criterion_.values()));
}

/// Distinct local maxima of one sample, the best first. Fills `starts`, the best first as well, and sets the nuisance's
/// offset on the way.
std::vector<Maximum> MaximumSearch::maxima_of(SmoothCriterion& sample, double tolerance, std::vector<Place>& starts) {
  for (const Point& start : choose_starts(sample, space_)) starts.push_back(space_.to_place(start));
  if (!starts.empty() && space_.is_free(space_.nuisance())) {
    if (const double offset = sample.nuisance_offset(starts.front().start); offset > 0) {
      space_.set_nuisance_offset(offset);
    }
  }
  const Objective objective = objective_of(sample, space_);
  std::vector<Maximum> maxima;
  for (const Place& start : starts) {
    const auto found = maximize(objective, space_.to_point(start), space_, {.tolerance = tolerance});
    if (!found || is_known(maxima, found->point)) continue;
    const Place place = space_.to_place(found->point);
    const Score score = sample.score_at(place.start, place.nuisance);
    maxima.push_back({found->point, score, found->value,
                      curvature_at(objective, found->point, found->gradient, space_, CurvatureOf::free),
                      space_.offset(space_.nuisance()), found->converged});
  }
  std::stable_sort(maxima.begin(), maxima.end(), [](const Maximum& a, const Maximum& b) { return a.value > b.value; });
  return maxima;
}

SearchOutcome MaximumSearch::cold() {
  SearchOutcome outcome;
  std::vector<Place> starts;
  const Index samples = criterion_.samples();
  if (samples <= start_samples) {
    const std::vector<Maximum> maxima = maxima_of(criterion_, place_tolerance(), starts);
    if (maxima.empty()) throw_hopeless(criterion_, space_);
    outcome.best = maxima.front();
    for (const Maximum& maximum : maxima) outcome.optima.push_back(describe(maximum, samples));
    outcome.starts = static_cast<Index>(starts.size());
    return outcome;
  }
  const std::unique_ptr<SmoothCriterion> small = criterion_.on_rows(start_samples, options_.seed);
  const std::vector<Maximum> maxima = maxima_of(*small, rough, starts);
  if (maxima.empty()) throw_hopeless(*small, space_);
  std::vector<Maximum> middle = {at_middle_size(maxima.front())};
  outcome = refine(middle.front());
  const Objective whole = objective_of(criterion_, space_);
  for (std::size_t i = 1; i < maxima.size(); ++i) {
    const Maximum start = at_middle_size(maxima[i]);
    if (is_known(middle, start.point)) continue;  // a maximum of the small sample only
    middle.push_back(start);
    if (!(whole(start.point, nullptr) > outcome.best.value - reach)) {
      outcome.optima.push_back(describe(maxima[i], start_samples));
      continue;
    }
    SearchOutcome other = refine(start);
    if ((other.best.point - outcome.best.point).lpNorm<Eigen::Infinity>() < distinct) continue;
    if (other.best.value > outcome.best.value) {
      other.optima.swap(outcome.optima);
      std::swap(other, outcome);
    }
    outcome.optima.push_back(describe(other.best, samples));
  }
  outcome.optima.insert(outcome.optima.begin(), describe(outcome.best, samples));
  outcome.starts = static_cast<Index>(starts.size());
  reconsider(outcome, starts.front());  // the best cell of the grid
  return outcome;
}

void MaximumSearch::reconsider(SearchOutcome& outcome, const Place& tried) {
  const auto higher = climb_if_higher(criterion_, space_, tried, outcome.best, options_);
  if (!higher) return;
  outcome.best = *higher;
  outcome.ray = nullptr;
  outcome.optima.insert(outcome.optima.begin(), describe(outcome.best, criterion_.samples()));
}

SearchOutcome MaximumSearch::warm(const Maximum& start) {
  space_.set_nuisance_offset(start.nuisance_offset);
  SearchOutcome outcome = refine(start);
  outcome.optima.push_back(describe(outcome.best, criterion_.samples()));
  return outcome;
}

Maximum MaximumSearch::maximum_at(const Point& point, const Maximum& start, bool converged) {
  const Place place = space_.to_place(point);
  Slopes slopes;
  const double value = criterion_.evaluate(place.start, place.nuisance, &slopes);  // so that the score has all figures
  return {point,
          criterion_.score_at(place.start, place.nuisance),
          value,
          start.curvature,
          space_.offset(space_.nuisance()),
          converged};
}

/// Whether the score exists at a point without bias, and falls where a bias is added.
bool MaximumSearch::judged_along_no_bias(const Point& point, bool& falls) {
  const Place place = space_.to_place(point);
  Slopes slopes;
  if (!std::isfinite(criterion_.evaluate(place.start, place.nuisance, &slopes))) return false;
  falls = space_.slopes_of(slopes)[1] <= 0;
  return true;
}

/// M4: without bias, one reduction of the covariance gives the maximum over scale and noise exactly. Where the slope in
/// σ_b² points below 0 at the start, that is most likely the maximum of all three, at the cost of 5 factorisations and
/// two gradients; climbing takes four gradients and more (docs/decisions/0004). Moves `start` there.
std::unique_ptr<Ray> MaximumSearch::along_the_ray(Maximum& start) {
  const bool possible = criterion_.network().activation.is_homogeneous() && space_.bounds(1).lower == 0 &&
                        space_.at_lower(start.point, 1);
  bool falls = false;
  if (!possible || !judged_along_no_bias(start.point, falls) || !falls) return nullptr;
  std::unique_ptr<Ray> ray = criterion_.ray(space_.to_place(start.point).start);
  if (!ray || !ray->scales()) return nullptr;
  SearchSpace without_bias = space_;
  without_bias.fix(1);
  const auto found = maximize(ray_objective(*ray, without_bias), start.point, without_bias,
                              {.tolerance = std::min(place_tolerance(), 1e-7)});
  if (!found) return nullptr;
  start.point = found->point;
  return ray;
}

double search_bytes(Index samples, Index features, Index outputs, Index depth) {
  const auto part =
      std::min(samples, std::max(start_samples, static_cast<Index>(middle_share * static_cast<double>(samples))));
  return evidence_bytes(samples, outputs, depth) + evidence_bytes(part, outputs, depth) +
         static_cast<double>(part * (features + outputs)) * sizeof(double);
}

/// The maximum of a middle sample that is reached from `start`, with its curvature; `start` itself where that would not
/// pay.
Maximum MaximumSearch::at_middle_size(const Maximum& start) {
  const auto samples = static_cast<Index>(middle_share * static_cast<double>(criterion_.samples()));
  if (samples < 2 * start_samples) return start;
  const std::unique_ptr<SmoothCriterion> middle = criterion_.on_rows(samples, options_.seed);
  const Objective objective = objective_of(*middle, space_);
  const auto found =
      polish(objective, start.point, space_, {.curvature = start.curvature, .gain = 1.0 / middle->values()});
  if (!found) return start;
  const Place place = space_.to_place(found->point);
  return {found->point,          middle->score_at(place.start, place.nuisance),
          found->value,          curvature_at(objective, found->point, found->gradient, space_, CurvatureOf::free),
          start.nuisance_offset, found->converged};
}

SearchOutcome MaximumSearch::refine(const Maximum& from) {
  Maximum start = from;
  SearchOutcome outcome;
  outcome.ray = along_the_ray(start);
  bool falls = false;
  if (outcome.ray && judged_along_no_bias(start.point, falls) && falls) {
    outcome.best = maximum_at(start.point, start, true);
    return outcome;
  }
  const auto found = polish(objective_of(criterion_, space_), start.point, space_,
                            {.curvature = start.curvature, .gain = options_.tolerance / criterion_.values()});
  if (!found) {
    throw Error(
        ErrorKind::numerical,
        fmt::format("the covariance of {} samples could not be factored near the maximum of fewer; a larger lower "
                    "end of noise_bounds helps",
                    criterion_.samples()));
  }
  outcome.best = maximum_at(found->point, start, found->converged);
  return outcome;
}

Maximum widen(SmoothCriterion& criterion, const SearchSpace& wider, const Candidate& start, double nuisance,
              const MaximumOptions& options) {
  const Objective objective = objective_of(criterion, wider);
  const Point from = wider.clamp(wider.to_point({start.start, nuisance}));
  Point gradient = Point::Zero(wider.size());
  if (!std::isfinite(objective(from, &gradient))) {
    throw Error(ErrorKind::numerical, fmt::format("the score of {} has no gradient", to_string(start.start)));
  }
  const Eigen::MatrixXd curvature = curvature_at(objective, from, gradient, wider, CurvatureOf::free);
  const auto found =
      polish(objective, from, wider,
             {.curvature = curvature, .gain = options.tolerance / criterion.values(), .most_evaluations = 200});
  const Point at = found ? found->point : from;
  const Place place = wider.to_place(at);
  Slopes slopes;
  const double value = criterion.evaluate(place.start, place.nuisance, &slopes);
  return {at,
          criterion.score_at(place.start, place.nuisance),
          value,
          curvature,
          wider.offset(wider.nuisance()),
          found && found->converged};
}

std::optional<Maximum> climb_if_higher(SmoothCriterion& criterion, const SearchSpace& space, const Place& tried,
                                       const Maximum& found, const MaximumOptions& options) {
  if (!space.family().values_of(tried.start)) return std::nullopt;
  const Point at = space.to_point(tried);
  if ((at - space.clamp(at)).lpNorm<Eigen::Infinity>() > 1e-9) return std::nullopt;
  const Place place = space.to_place(space.clamp(at));
  const double value = criterion.evaluate(place.start, place.nuisance, nullptr);
  if (!(value > found.value + options.tolerance / criterion.values())) return std::nullopt;
  return widen(criterion, space, {.start = place.start}, place.nuisance, options);
}

}  // namespace priorfit::internal

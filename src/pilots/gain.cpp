#include "pilots/gain.hpp"

#include <cmath>
#include <map>
#include <numbers>

namespace priorfit::internal {
namespace {

/// Mean error of a start's networks on each block.
std::map<Index, double> block_errors(const std::vector<PilotResult>& results, std::size_t start) {
  std::map<Index, std::pair<double, int>> sums;
  for (const PilotResult& result : results) {
    if (result.candidate != start || result.block == 0) continue;
    auto& [sum, count] = sums[result.block];
    sum += result.error;
    ++count;
  }
  std::map<Index, double> means;
  for (const auto& [block, sum] : sums) means[block] = sum.first / sum.second;
  return means;
}

struct Spread {
  double mean = 0.0, standard_error = 0.0;
};

/// Of as many values as there are blocks, each left out of as many others and those that chose.
Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  constexpr double blocks_in_training = 11.0;
  spread.standard_error = std::sqrt(squares / (count - 1) * (1 / count + 1 / blocks_in_training));
  return spread;
}

/// Student's distribution function for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
double student_distribution(double t, Index degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1.0, sum = degrees == 1 ? 0.0 : term;
  for (Index k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  const double within = odd ? 2 * std::numbers::inv_pi * (angle + sine * sum) : sine * sum;
  return 0.5 + 0.5 * within;
}

}  // namespace

double student_quantile(double p, Index degrees) {
  double low = 0.0, high = 1.0;
  while (student_distribution(high, degrees) < p && high < 1e4) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (student_distribution(middle, degrees) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::optional<MeasuredStart> measured_start(const std::vector<PilotResult>& results, std::size_t start,
                                            bool classification) {
  const std::map<Index, double> errors = block_errors(results, start);
  if (errors.size() < 2) return std::nullopt;
  std::vector<double> values;
  for (const auto& [block, error] : errors) {
    if (!std::isfinite(error)) return std::nullopt;
    values.push_back(classification ? 1 - error : std::sqrt(error));
  }
  const Spread spread = spread_of(values);
  MeasuredStart measured{.value = spread.mean, .standard_error = spread.standard_error};
  for (const PilotResult& result : results) measured.networks += result.candidate == start && result.block > 0;
  return measured;
}

std::optional<MeasuredGain> measured_gain(const std::vector<PilotResult>& results, std::size_t current,
                                          std::size_t other, bool classification, Index looks) {
  if (current == other) return std::nullopt;
  const std::map<Index, double> ours = block_errors(results, other), theirs = block_errors(results, current);
  std::vector<double> gains;
  for (const auto& [block, error] : ours) {
    const auto found = theirs.find(block);
    if (found == theirs.end() || !std::isfinite(error) || !std::isfinite(found->second)) continue;
    // Root mean squared errors by their ratio: what is gained is a share of it, whatever the target's scale.
    gains.push_back(classification ? found->second - error : 0.5 * std::log(found->second / error));
  }
  if (gains.size() < 4) return std::nullopt;
  const Spread spread = spread_of(gains);
  MeasuredGain gain{.blocks = static_cast<Index>(gains.size())};
  for (const PilotResult& result : results) gain.seeds += result.candidate == other && result.block > 0;
  gain.seeds = (gain.seeds + gain.blocks - 1) / gain.blocks;
  const double reach =
      student_quantile(1 - 0.025 / static_cast<double>(looks), gain.blocks - 1) * spread.standard_error;
  const auto in_units = [&](double value) { return classification ? value : -std::expm1(-value); };
  gain.mean = in_units(spread.mean);
  gain.standard_error = classification ? spread.standard_error : spread.standard_error * std::exp(-spread.mean);
  gain.lower = in_units(spread.mean - reach);
  gain.upper = in_units(spread.mean + reach);
  return gain;
}

}  // namespace priorfit::internal

#include "priorfit/signal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernel/layers.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double criticality = 1e-6;
// A fixed point below or above is taken for 0 or infinity.
constexpr double smallest = 1e-12, largest = 1e7;
constexpr double step = 1.189207115002721;  // 2^(1/4)

/// The zero between `low` and `high`, where `function` has opposite signs, by halving in log q.
double zero_between(const std::function<double(double)>& function, double low, double high) {
  const bool rising = function(high) > 0;
  for (int i = 0; i < 200 && high > low * (1 + 1e-15); ++i) {
    const double middle = std::sqrt(low * high);
    ((function(middle) > 0) == rising ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

/// φ linear on either side of 0: q -> σ_b² + κ q.
double two_slope_fixed_point(double kappa, double bias_variance) {
  if (bias_variance == 0 && std::abs(kappa - 1) <= criticality) return 1.0;  // every variance stays as it is
  if (kappa >= 1) return infinity;
  return bias_variance / (1 - kappa);
}

double fixed_point(const Activation& activation, const DiagonalDual& diagonal, const LayerPrior& prior) {
  if (activation.is_two_slope()) {
    return two_slope_fixed_point(prior.weight_variance * diagonal(1.0).derivative, prior.bias_variance);
  }
  const auto growth = [&](double q) { return prior.bias_variance + prior.weight_variance * diagonal(q).value - q; };
  double q = 1.0;
  if (growth(q) > 0) {
    while (growth(q) > 0 && q < largest) q *= step;
    return q < largest ? zero_between(growth, q / step, q) : infinity;
  }
  while (growth(q) <= 0 && q > smallest) q /= step;
  return q > smallest ? zero_between(growth, q, q * step) : 0.0;
}

/// Where the phase of a signal that starts at 1 turns from ordered to another, by halving.
double turning_point(const Activation& activation, double bias_variance) {
  const auto is_chaotic = [&](double w) {
    return signal_propagation(activation, {w, bias_variance}).phase == Phase::ordered ? -1.0 : 1.0;
  };
  return zero_between(is_chaotic, 1e-3, 1e4);
}

CriticalPoint critical_at(const Activation& activation, const DiagonalDual& diagonal, double bias_variance, double q) {
  const double weight_variance = 1 / diagonal.squared_slope(q);
  const double settled = fixed_point(activation, diagonal, {weight_variance, bias_variance});
  const bool reached = std::abs(settled - q) <= 1e-3 * std::max(q, 1e-3);
  return {weight_variance, q, reached, reached ? weight_variance : turning_point(activation, bias_variance)};
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::ordered: return "ordered";
    case Phase::critical: return "critical";
    case Phase::chaotic: return "chaotic";
  }
  return "unknown";
}

SignalPropagation signal_propagation(const Activation& activation, const LayerPrior& prior) {
  prior.validate();
  const DiagonalDual diagonal(activation);
  SignalPropagation result;
  result.fixed_point = fixed_point(activation, diagonal, prior);
  result.chi = prior.weight_variance * diagonal.squared_slope(std::min(result.fixed_point, largest));
  const bool neutral = std::abs(result.chi - 1) <= criticality;
  result.depth_scale = neutral ? infinity : 1 / std::abs(std::log(result.chi));
  const bool bounded = std::isfinite(result.fixed_point);
  result.phase = neutral && bounded ? Phase::critical : result.chi < 1 && !neutral ? Phase::ordered : Phase::chaotic;
  return result;
}

// χ₁ = 1 gives σ_w² = 1/E[φ′²], and with it the fixed point is a zero of σ_b² + E[φ²]/E[φ′²] − q in q alone.
std::optional<CriticalPoint> critical_point(const Activation& activation, double bias_variance) {
  LayerPrior{1.0, bias_variance}.validate();
  const DiagonalDual diagonal(activation);
  if (activation.is_two_slope()) {
    if (bias_variance > 0) return std::nullopt;
    return critical_at(activation, diagonal, bias_variance, 1.0);
  }
  if (bias_variance == 0 && activation(0.0) == 0) {
    if (diagonal.squared_slope(0.0) > 0) return critical_at(activation, diagonal, bias_variance, 0.0);
  }
  const auto excess = [&](double q) { return bias_variance + diagonal(q).value / diagonal.squared_slope(q) - q; };
  for (double q = smallest; q < largest; q *= step) {
    if (excess(q) > 0 && excess(q * step) <= 0) {
      return critical_at(activation, diagonal, bias_variance, zero_between(excess, q, q * step));
    }
  }
  return std::nullopt;
}

void PhaseOptions::validate() const {
  if (depth < 1) throw Error(ErrorKind::usage, fmt::format("depth is {}: it must be at least 1", depth));
  for (const double w : weight_variances) LayerPrior{w, 0.0}.validate();
  for (const double b : bias_variances) LayerPrior{1.0, b}.validate();
}

PhaseMap phase_map(const PhaseOptions& options) {
  options.validate();
  PhaseMap map{.options = options, .cells = {}, .critical = {}, .command = {}};
  if (options.weight_variances.empty()) {
    for (int i = 1; i <= 16; ++i) map.options.weight_variances.push_back(0.25 * i);
  }
  if (options.bias_variances.empty()) map.options.bias_variances = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
  for (const double b : map.options.bias_variances) {
    std::vector<SignalPropagation> row;
    for (const double w : map.options.weight_variances) row.push_back(signal_propagation(options.activation, {w, b}));
    map.cells.push_back(std::move(row));
    map.critical.push_back(critical_point(options.activation, b));
  }
  return map;
}

}  // namespace priorfit

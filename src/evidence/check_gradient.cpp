#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "priorfit/error.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit {
namespace {

/// Differences of order step⁴: central, or forward at a parameter that is 0 and may not go below.
double difference(const std::function<double(double)>& f, double at, double relative_step) {
  if (at > 0) {
    const double h = relative_step * at;
    return (8 * (f(at + h) - f(at - h)) - (f(at + 2 * h) - f(at - 2 * h))) / (12 * h);
  }
  const double h = relative_step;
  return (-25 * f(0) + 48 * f(h) - 36 * f(2 * h) + 16 * f(3 * h) - 3 * f(4 * h)) / (12 * h);
}

}  // namespace

bool GradientCheck::agrees() const {
  return std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.agrees; });
}

std::string GradientCheck::report() const {
  std::string text;
  for (const Entry& entry : entries) {
    text += fmt::format("{:<16} analytic {:>14.7g}  numeric {:>14.7g}  error {:.2e}  {}\n", entry.parameter,
                        entry.analytic, entry.numeric, entry.error, entry.agrees ? "agrees" : "DIFFERS");
  }
  return text;
}

GradientCheck check_gradient(EvidenceEngine& engine, const LayerPrior& prior, double noise_variance,
                             const GradientCheckOptions& options) {
  if (!(options.relative_step > 0 && options.relative_step < 0.1)) {
    throw Error(ErrorKind::usage, fmt::format("relative_step is {}: it must be in (0, 0.1)", options.relative_step));
  }
  if (!(options.tolerance > 0)) {
    throw Error(ErrorKind::usage, fmt::format("tolerance is {}: it must be greater than 0", options.tolerance));
  }
  const auto at = [&](double weight, double bias, double noise) {
    return engine.evaluate({weight, bias, prior.output_weight_variance}, noise).log_marginal_likelihood;
  };
  GradientCheck check;
  check.gradient = engine.evaluate_with_gradient(prior, noise_variance);
  const double w = prior.weight_variance, b = prior.bias_variance, n = noise_variance;
  const double magnitude = std::max(1.0, std::abs(check.gradient.evidence.log_marginal_likelihood));
  const auto entry = [&](const char* name, double value, double analytic, const std::function<double(double)>& f) {
    GradientCheck::Entry e{name, analytic, difference(f, value, options.relative_step), 0.0, false};
    // Slopes in log θ this small beside the evidence drown in its rounding when differences are taken.
    const double floor = 1e-3 * magnitude / (value > 0 ? value : 1.0);
    e.error = std::abs(e.analytic - e.numeric) / std::max({std::abs(e.analytic), std::abs(e.numeric), floor});
    e.agrees = e.error <= options.tolerance;
    return e;
  };
  check.entries = {
      entry("weight_variance", w, check.gradient.by_weight_variance, [&](double v) { return at(v, b, n); }),
      entry("bias_variance", b, check.gradient.by_bias_variance, [&](double v) { return at(w, v, n); }),
      entry("noise_variance", n, check.gradient.by_noise_variance, [&](double v) { return at(w, b, v); })};
  return check;
}

}  // namespace priorfit

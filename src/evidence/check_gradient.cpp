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

/// Fills a check entry by entry.
class Checker {
 public:
  Checker(EvidenceEngine& engine, const GradientCheckOptions& options, EvidenceGradient gradient)
      : engine_(engine), options_(options), check_{std::move(gradient), {}} {
    if (!(options.relative_step > 0 && options.relative_step < 0.1)) {
      throw Error(ErrorKind::usage, fmt::format("relative_step is {}: it must be in (0, 0.1)", options.relative_step));
    }
    if (!(options.tolerance > 0)) {
      throw Error(ErrorKind::usage, fmt::format("tolerance is {}: it must be greater than 0", options.tolerance));
    }
  }

  const EvidenceGradient& gradient() const { return check_.gradient; }

  /// evidence_at(value): the evidence with the parameter at another value.
  void add(std::string name, double value, double analytic, const std::function<Evidence(double)>& evidence_at) {
    const auto f = [&](double at) { return evidence_at(at).log_marginal_likelihood; };
    GradientCheck::Entry e{std::move(name), analytic, difference(f, value, options_.relative_step), 0.0, false};
    // A short step lets rounding of the evidence in, a long one its curvature: of three, the one that is closest.
    for (const double longer : {4.0, 16.0}) {
      const double numeric = difference(f, value, std::min(0.1, longer * options_.relative_step));
      if (std::abs(numeric - analytic) < std::abs(e.numeric - analytic)) e.numeric = numeric;
    }
    // Slopes in log θ this small beside the evidence drown in its rounding when differences are taken.
    const double magnitude = std::max(1.0, std::abs(gradient().evidence.log_marginal_likelihood));
    const double floor = 1e-3 * magnitude / (value > 0 ? value : 1.0);
    e.error = std::abs(e.analytic - e.numeric) / std::max({std::abs(e.analytic), std::abs(e.numeric), floor});
    e.agrees = e.error <= options_.tolerance;
    check_.entries.push_back(std::move(e));
  }

  void add_layers(const std::vector<LayerPrior>& layers, double noise_variance) {
    for (std::size_t l = 0; l < gradient().layers.size(); ++l) {
      const auto add_one = [&](const char* name, double LayerPrior::*variance, double analytic) {
        add(fmt::format("{} of layer {}", name, l + 1), layers[l].*variance, analytic, [&](double value) {
          std::vector<LayerPrior> moved = layers;
          moved[l].*variance = value;
          return engine_.evaluate(moved, noise_variance);
        });
      };
      add_one("weight_variance", &LayerPrior::weight_variance, gradient().layers[l].by_weight_variance);
      add_one("bias_variance", &LayerPrior::bias_variance, gradient().layers[l].by_bias_variance);
    }
  }

  GradientCheck take() { return std::move(check_); }

 private:
  EvidenceEngine& engine_;
  GradientCheckOptions options_;
  GradientCheck check_;
};

}  // namespace

bool GradientCheck::agrees() const {
  return std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.agrees; });
}

std::string GradientCheck::report() const {
  std::string text;
  for (const Entry& entry : entries) {
    text += fmt::format("{:<28} analytic {:>14.7g}  numeric {:>14.7g}  error {:.2e}  {}\n", entry.parameter,
                        entry.analytic, entry.numeric, entry.error, entry.agrees ? "agrees" : "DIFFERS");
  }
  return text;
}

GradientCheck check_gradient(EvidenceEngine& engine, const LayerPrior& prior, double noise_variance,
                             const GradientCheckOptions& options) {
  Checker checker(engine, options, engine.evaluate_with_gradient(prior, noise_variance));
  const auto moved = [&](double LayerPrior::*variance) {
    return [&, variance](double value) {
      LayerPrior other = prior;
      other.*variance = value;
      return engine.evaluate(other, noise_variance);
    };
  };
  const EvidenceGradient& gradient = checker.gradient();
  checker.add("weight_variance", prior.weight_variance, gradient.by_weight_variance,
              moved(&LayerPrior::weight_variance));
  checker.add("bias_variance", prior.bias_variance, gradient.by_bias_variance, moved(&LayerPrior::bias_variance));
  checker.add("noise_variance", noise_variance, gradient.by_noise_variance,
              [&](double value) { return engine.evaluate(prior, value); });
  checker.add_layers(layer_priors(prior, engine.network()), noise_variance);
  return checker.take();
}

GradientCheck check_gradient(EvidenceEngine& engine, const std::vector<LayerPrior>& layers, double noise_variance,
                             const GradientCheckOptions& options) {
  Checker checker(engine, options, engine.evaluate_with_gradient(layers, noise_variance));
  checker.add("noise_variance", noise_variance, checker.gradient().by_noise_variance,
              [&](double value) { return engine.evaluate(layers, value); });
  checker.add_layers(layers, noise_variance);
  return checker.take();
}

}  // namespace priorfit

#include <cmath>
#include <limits>

#include "recommend/parts.hpp"

namespace priorfit {
namespace {

/// Glorot's weight variance 2/(fan_in + fan_out), as a multiple of 1/fan_in, for each layer.
std::vector<double> glorot_layers(const NetworkSpec& network, Index features, Index outputs) {
  std::vector<double> layers;
  Index fan_in = features;
  const auto add = [&](Index fan_out) {
    layers.push_back(2.0 * static_cast<double>(fan_in) / static_cast<double>(fan_in + fan_out));
    fan_in = fan_out;
  };
  for (const Index width : network.hidden_widths) add(width);
  add(outputs);
  return layers;
}

}  // namespace

std::vector<Baseline> baseline_priors(const NetworkSpec& network, Index features, Index outputs) {
  std::vector<Baseline> baselines = {{"He", {{2.0, 0.0}, {}}}, {"LeCun", {{1.0, 0.0}, {}}}};
  if (network.activation.is_homogeneous()) {
    // Without bias the covariance depends on the product of the layers' variances alone (M4), so their geometric mean,
    // used in every layer, is the same model.
    const std::vector<double> layers = glorot_layers(network, features, outputs);
    double sum = 0.0;
    for (const double variance : layers) sum += std::log(variance);
    baselines.push_back({"Glorot", {{std::exp(sum / static_cast<double>(layers.size())), 0.0}, {}}, layers});
  }
  return baselines;
}

void fill_baselines(std::vector<Baseline>& baselines, EvidenceObjective& objective, NoiseFit& noise) {
  for (Baseline& baseline : baselines) {
    EvidenceCell& cell = baseline.cell;
    const std::optional<double> best = noise.best_noise(cell.prior);
    if (best) {
      cell.evidence = objective.engine().evaluate_with_leave_one_out(cell.prior, *best);
    } else {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      cell.evidence = {.status = EvidenceStatus::not_positive_definite,
                       .log_marginal_likelihood = nan,
                       .per_value = nan,
                       .noise_variance = nan};
    }
    objective.meter().step();
  }
}

}  // namespace priorfit

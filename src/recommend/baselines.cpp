#include <cmath>

#include "priorfit/initialisation.hpp"
#include "recommend/parts.hpp"

namespace priorfit {
std::vector<Baseline> baseline_priors(const NetworkSpec& network, Index features, Index outputs) {
  std::vector<Baseline> baselines = {{"He", {{2.0, 0.0}, {}}}, {"LeCun", {{1.0, 0.0}, {}}}};
  for (Baseline& baseline : baselines) baseline.layers = layer_priors(baseline.cell.prior, network);
  Baseline glorot;
  glorot.name = "Glorot";
  glorot.layers = layer_priors(InitialScheme::keras, network, features, outputs);
  double logarithms = 0.0;
  for (const LayerPrior& layer : glorot.layers) {
    glorot.layer_weight_variances.push_back(layer.weight_variance);
    logarithms += std::log(layer.weight_variance);
  }
  // Without bias the covariance of a homogeneous activation depends on the product of the layers' variances alone (M4),
  // so their geometric mean, used in every layer, is the same model to the evidence.
  glorot.is_pair = network.activation.is_homogeneous();
  glorot.cell.prior = {std::exp(logarithms / static_cast<double>(glorot.layers.size())), 0.0};
  baselines.push_back(glorot);
  Baseline pytorch;
  pytorch.name = "PyTorch";
  pytorch.layers = layer_priors(InitialScheme::pytorch, network, features, outputs);
  pytorch.is_pair = false;
  for (const LayerPrior& layer : pytorch.layers) pytorch.layer_weight_variances.push_back(layer.weight_variance);
  pytorch.cell.prior = pytorch.layers.front();
  baselines.push_back(pytorch);
  return baselines;
}

void fill_baselines(std::vector<Baseline>& baselines, EvidenceObjective& objective, NoiseFit& noise) {
  for (Baseline& baseline : baselines) {
    EvidenceCell& cell = baseline.cell;
    const std::optional<double> best =
        baseline.is_pair ? noise.best_noise(cell.prior) : noise.best_noise(baseline.layers);
    // Where no noise could be fitted, the largest shows why.
    cell.evidence = objective.engine().evaluate_with_leave_one_out(baseline.layers, best.value_or(noise.largest()));
    objective.meter().step();
  }
}

}  // namespace priorfit

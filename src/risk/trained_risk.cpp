#include "priorfit/trained_risk.hpp"

#include <fmt/format.h>

#include <cmath>

#include "evidence/factorization.hpp"
#include "kernel/tangent.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "priorfit/preparation.hpp"
#include "risk/equal_rows.hpp"
#include "risk/leave_one_out.hpp"
#include "risk/risk_memory.hpp"
#include "risk/stopped.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;

struct TrainedRiskEngine::Implementation {
  MatrixView targets;  // samples × outputs
  bool classification;
  NetworkSpec network;
  TrainedRiskOptions options;
  EqualRows rows;
  Index features;
  Vector roots;          // of the groups' counts
  Matrix group_targets;  // groups × outputs: means, times the roots
  PackedSymmetric gram, covariance, tangent;
  LeaveOutSpace space = {};

  void fill(const LayerPriors& priors, TrainedRisk& result);
  void weigh_groups();
  LeftOut of_samples(LeftOut of_groups) const;
  void summarise(const LeftOut& left_out, TrainedRisk& result) const;
};

TrainedRiskEngine::TrainedRiskEngine(const MatrixView& inputs, const MatrixView& targets, Task task,
                                     const NetworkSpec& network, const TrainedRiskOptions& options) {
  check_samples(inputs, targets);
  network.validate();
  options.validate();
  EqualRows rows = find_equal_rows(inputs);
  const Index groups = check_memory(rows.counts.size(), risk_matrices);
  const Vector roots = rows.counts.cwiseSqrt();
  const Matrix group_targets = roots.asDiagonal() * mean_rows(rows, targets);
  implementation_.reset(new Implementation{targets, task == Task::classification, network, options, std::move(rows),
                                           inputs.cols(), roots, group_targets, PackedSymmetric(groups),
                                           PackedSymmetric(groups), PackedSymmetric(groups)});
  const Implementation& self = *implementation_;
  packed_gram(self.rows.all_differ() ? inputs : MatrixView(first_rows(self.rows, inputs)), implementation_->gram);
}

TrainedRiskEngine::~TrainedRiskEngine() = default;
TrainedRiskEngine::TrainedRiskEngine(TrainedRiskEngine&&) noexcept = default;
TrainedRiskEngine& TrainedRiskEngine::operator=(TrainedRiskEngine&&) noexcept = default;

/// covariance = D K D, tangent = D Θ D + λI, where D holds the roots of the groups' counts
void TrainedRiskEngine::Implementation::fill(const LayerPriors& priors, TrainedRisk& result) {
  const Vector squared_norms = gram_diagonal(gram);
  const LayerVariances variances(network, priors, features, squared_norms);
  variances.require_success();
  const LayerRates rates = options.optimizer == Optimizer::adam
                               ? adam_rates(network, priors, features, variances, squared_norms, rows.counts)
                               : gradient_descent_rates(network);
  const TangentPass pass(network, priors, rates, features, variances);
  packed_tangent(pass, gram, covariance, tangent);
  double sum = 0.0;
  for (Index i = 0; i < tangent.size(); ++i) sum += rows.counts[i] * tangent(i, i);
  result.ridge = options.time ? 0.0 : options.ridge * sum / static_cast<double>(targets.rows());
  if (!rows.all_differ()) weigh_groups();
  for (Index i = 0; i < tangent.size(); ++i) tangent(i, i) += result.ridge;
}

/// n equal rows count as one whose ridge is λ/n: Θ + λ D⁻² = D⁻¹ (D Θ D + λI) D⁻¹, and what is left out of the one is
/// what is left out of the other, divided by D (M8).
void TrainedRiskEngine::Implementation::weigh_groups() {
  for (Index column = 0; column < tangent.columns(); ++column) {
    for (const PackedRun& run : tangent.runs(column)) {
      const auto weights = roots.segment(run.first_row, run.length).array() * roots[run.column];
      for (PackedSymmetric* matrix : {&tangent, &covariance}) {
        Eigen::Map<Eigen::ArrayXd>(matrix->values() + run.offset, run.length) *= weights;
      }
    }
  }
}

LeftOut TrainedRiskEngine::Implementation::of_samples(LeftOut of_groups) const {
  if (rows.all_differ()) return of_groups;
  const auto by_root = roots.cwiseInverse().asDiagonal();
  const Matrix predicted = by_root * (group_targets - of_groups.errors);
  LeftOut out{targets - predicted(rows.group, Eigen::all), of_groups.variances.cwiseQuotient(rows.counts)(rows.group)};
  return out;
}

void TrainedRiskEngine::Implementation::summarise(const LeftOut& left_out, TrainedRisk& result) const {
  const auto samples = static_cast<double>(targets.rows());
  const Vector squares = left_out.errors.rowwise().squaredNorm() / static_cast<double>(targets.cols());
  const Vector errors = squares + left_out.variances;
  result.data_error = squares.mean();
  result.initialisation_error = left_out.variances.mean();
  result.error = errors.mean();
  const double spread = (errors.array() - result.error).square().sum();
  result.standard_error = samples > 1 ? std::sqrt(spread / (samples - 1) / samples) : result.error;
  if (!std::isfinite(result.error)) throw Error(ErrorKind::numerical, "the tangent kernel is too ill conditioned");
  if (classification) result.accuracy = right_probabilities(left_out, targets).mean();
}

TrainedRisk TrainedRiskEngine::evaluate(const LayerPrior& prior) {
  prior.validate();
  return evaluate(layer_priors(prior, implementation_->network));
}

TrainedRisk TrainedRiskEngine::evaluate(const std::vector<LayerPrior>& layers) {
  Implementation& self = *implementation_;
  check_layers(layers, self.network);
  const ThreadScope scope(threads_for(self.targets.rows()));
  TrainedRisk result;
  try {
    self.fill(layers, result);
    if (self.options.time) {
      stop_training(self.tangent, self.targets.size(), *self.options.time);
      self.summarise(self.of_samples(leave_out(self.tangent, self.covariance, self.group_targets)), result);
    } else {
      self.summarise(
          self.of_samples(leave_out_of_trained(self.tangent, self.covariance, self.group_targets, self.space)), result);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    result = {};
    result.failure = error.what();
  }
  return result;
}

}  // namespace priorfit

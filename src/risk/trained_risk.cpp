#include "priorfit/trained_risk.hpp"

#include <fmt/format.h>

#include <cmath>

#include "evidence/factorization.hpp"
#include "kernel/tangent.hpp"
#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "risk/leave_one_out.hpp"
#include "risk/stopped.hpp"
#include "support/text.hpp"

namespace priorfit {

struct TrainedRiskEngine::Implementation {
  MatrixView inputs, targets;
  bool classification;
  NetworkSpec network;
  TrainedRiskOptions options;
  PackedSymmetric gram, covariance, tangent;

  void fill(const LayerPriors& priors, TrainedRisk& result);
  void summarise(const LeftOut& left_out, TrainedRisk& result) const;
};

TrainedRiskEngine::TrainedRiskEngine(const MatrixView& inputs, const MatrixView& targets, Task task,
                                     const NetworkSpec& network, const TrainedRiskOptions& options) {
  check_samples(inputs, targets);
  network.validate();
  options.validate();
  const Index samples = check_memory(inputs.rows(), 7);
  implementation_.reset(new Implementation{inputs, targets, task == Task::classification, network, options,
                                           PackedSymmetric(samples), PackedSymmetric(samples),
                                           PackedSymmetric(samples)});
  packed_gram(inputs, implementation_->gram);
}

TrainedRiskEngine::~TrainedRiskEngine() = default;
TrainedRiskEngine::TrainedRiskEngine(TrainedRiskEngine&&) noexcept = default;
TrainedRiskEngine& TrainedRiskEngine::operator=(TrainedRiskEngine&&) noexcept = default;

/// covariance = K, tangent = Θ + λI
void TrainedRiskEngine::Implementation::fill(const LayerPriors& priors, TrainedRisk& result) {
  const Vector squared_norms = gram_diagonal(gram);
  const LayerVariances variances(network, priors, inputs.cols(), squared_norms);
  variances.require_success();
  const LayerRates rates = options.optimizer == Optimizer::adam
                               ? adam_rates(network, priors, inputs.cols(), variances, squared_norms)
                               : gradient_descent_rates(network);
  const TangentPass pass(network, priors, rates, inputs.cols(), variances);
  packed_tangent(pass, gram, covariance, tangent);
  double sum = 0.0;
  for (Index i = 0; i < tangent.size(); ++i) sum += tangent(i, i);
  result.ridge = options.time ? 0.0 : options.ridge * sum / static_cast<double>(tangent.size());
  for (Index i = 0; i < tangent.size(); ++i) tangent(i, i) += result.ridge;
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
      stop_training(self.tangent, self.targets.cols(), *self.options.time);
      self.summarise(leave_out(self.tangent, self.covariance, self.targets), result);
    } else {
      self.summarise(leave_out_of_trained(self.tangent, self.covariance, self.targets), result);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    result = {};
    result.failure = error.what();
  }
  return result;
}

}  // namespace priorfit

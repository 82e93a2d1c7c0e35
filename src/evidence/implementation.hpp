// What an EvidenceEngine holds. Its steps are spread over evidence.cpp (the figure) and gradient.cpp (its derivatives).
#pragma once

#include "evidence/factorization.hpp"

namespace priorfit {

struct EvidenceEngine::Implementation {
  MatrixView targets;  // samples × outputs
  internal::CovarianceFactorization factorization;
  Eigen::MatrixXd whitened;  // samples × outputs: L⁻¹ Y, later α = A⁻¹ Y

  Evidence evaluate(const internal::LayerPriors& priors, double noise_variance);
  double log_marginal_likelihood();

  // Both follow log_marginal_likelihood() and use the factor up.
  double consume_for_leave_one_out();
  void consume_for_gradient(const internal::LayerPriors& priors, EvidenceGradient& result);
};

}  // namespace priorfit

#include "kernel/adjoints.hpp"

namespace priorfit::internal {
namespace {

/// Every layer's dual and its derivatives, kept for the way back.
struct KeptLayers {
  double* kept;  // depth × 4 × length

  double* values(Index layer, Index length) const { return kept + 4 * layer * length; }
  void want(Index layer, StepArguments& step) const {
    step.values = values(layer, step.length);
    step.by_covariance = step.values + step.length;
    step.by_row = step.by_covariance + step.length;
    step.by_column = step.by_row + step.length;
  }
  void follow(Index, const StepArguments&) const {}
};

}  // namespace

Adjoints& Adjoints::operator+=(const Adjoints& other) {
  for (std::size_t l = 0; l < weights.size(); ++l) {
    weights[l] += other.weights[l];
    biases[l] += other.biases[l];
  }
  variances += other.variances;
  return *this;
}

// With K_{l+1} = σ_b² + σ_w² E(a, b, c) and c̄ the adjoint of c = K_l, from the output back:
//   σ̄_b² += c̄_{l+1},  σ̄_w² += c̄_{l+1} E,  ā += c̄_{l+1} σ_w² E_a,  b̄ += c̄_{l+1} σ_w² E_b,  c̄_l = c̄_{l+1} σ_w² E_c.
void AdjointPass::run(const double* gram, const double* coefficients, Index length, Index first_row, Index column,
                      Adjoints& sums) const {
  thread_local std::vector<double> scratch;
  const Index depth = recursion_.depth();
  recursion_.for_blocks(length, 4 * depth + 2, [&](Index first, Index count) {
    scratch.resize(static_cast<std::size_t>((4 * depth + 1) * count));
    double* const covariances = scratch.data() + 4 * depth * count;
    const KeptLayers layers{scratch.data()};
    recursion_.run(gram + first, covariances, count, first_row + first, column, layers);
    double* const adjoints = covariances;
    std::copy_n(coefficients + first, count, adjoints);
    for (Index l = depth - 1; l >= 0; --l) {
      StepArguments step;
      step.length = count;
      layers.want(l, step);
      const AdjointSums sum =
          adjoint_pass({count, step.values, step.by_covariance, step.by_row, step.by_column, recursion_.weight(l + 1),
                        adjoints, sums.variances.row(l).data() + first_row + first});
      sums.weights[static_cast<std::size_t>(l + 1)] += sum.weight;
      sums.biases[static_cast<std::size_t>(l + 1)] += sum.bias;
      sums.variances(l, column) += sum.column_variance;
    }
    const Moments input = moments_pass(adjoints, gram + first, count);
    sums.weights[0] += input.product / static_cast<double>(recursion_.features());
    sums.biases[0] += input.sum;
  });
}

void AdjointPass::run_diagonal(const Vector& squared_norms, const Vector& diagonal, Adjoints& sums) const {
  const DiagonalDual dual(network_.activation);
  const bool logarithmic = slopes_are_logarithmic(network_.activation);
  for (Index i = 0; i < variances_.size(); ++i) {
    double adjoint = diagonal[i];
    for (Index l = recursion_.depth() - 1; l >= 0; --l) {
      const double q = variances_.at(l, i);
      const Dual e = dual(q);
      sums.weights[static_cast<std::size_t>(l + 1)] += adjoint * e.value;
      sums.biases[static_cast<std::size_t>(l + 1)] += adjoint;
      adjoint *= recursion_.weight(l + 1) * e.derivative;
      adjoint += logarithmic && q > 0 ? sums.variances(l, i) / q : sums.variances(l, i);
    }
    sums.weights[0] += adjoint * squared_norms[i] / static_cast<double>(recursion_.features());
    sums.biases[0] += adjoint;
  }
}

}  // namespace priorfit::internal

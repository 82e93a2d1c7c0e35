#include "kernel/covariance.hpp"

#include "support/loop_error.hpp"

namespace priorfit::internal {
namespace {

struct NothingElse {
  void want(Index, internal::StepArguments&) const {}
  void follow(Index, const internal::StepArguments&) const {}
};

}  // namespace

void CovariancePass::run(const double* gram, double* covariances, Index length, Index first_row, Index column) const {
  recursion_.for_blocks(length, 1, [&](Index first, Index count) {
    recursion_.run(gram + first, covariances + first, count, first_row + first, column, NothingElse());
  });
}

Vector gram_diagonal(const PackedSymmetric& gram) {
  Vector diagonal(gram.size());
  for (Index i = 0; i < gram.size(); ++i) diagonal[i] = gram(i, i);
  return diagonal;
}

void packed_covariance(const NetworkSpec& network, const LayerPriors& priors, Index features,
                       const LayerVariances& variances, double ridge, const PackedSymmetric& gram,
                       PackedSymmetric& covariance) {
  const CovariancePass pass(network, priors, features, variances, variances);
  // Entries do not depend on each other, so any split over threads gives the same bytes. Dealt out as they are asked
  // for: a thread that loses its core to a neighbour then costs its share and not the whole.
  LoopError error;
#pragma omp parallel for schedule(dynamic, 8)
  for (Index c = 0; c < gram.columns(); ++c) {
    for (const PackedRun& run : gram.runs(c)) {
      error.guard([&] {
        pass.run(gram.values() + run.offset, covariance.values() + run.offset, run.length, run.first_row, run.column);
      });
    }
  }
  error.rethrow();
  for (Index i = 0; i < covariance.size(); ++i) covariance(i, i) = variances.output(i) + ridge;
}

}  // namespace priorfit::internal

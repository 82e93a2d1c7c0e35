// A prediction of what training does (one factorisation of Θ, its inverse, all left-out variances) in units of LAPACK's
// potrf of the same size, and the pass that makes K and Θ in units of the one that makes K; interleaved in one run, the
// best of several rounds. In processor time, which a busy machine disturbs less.
//
// Usage: risk_bench SAMPLES ROUNDS
#include <fmt/format.h>
#include <lapack.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernel/tangent.hpp"
#include "priorfit/priorfit.hpp"
#include "support/random.hpp"
#include "timing.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

double time_potrf(int size, std::vector<double>& matrix) {
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      matrix[static_cast<std::size_t>(j) * size + i] = i == j ? size : 1.0 / (1 + std::abs(i - j));
    }
  }
  int info = 0;
  return seconds_of([&] { LAPACK_dpotrf("L", &size, matrix.data(), &size, &info); });
}

struct Passes {
  double covariance = 1e300, both = 1e300;
};

Passes time_passes(const NetworkSpec& network, const PackedSymmetric& gram, Index features, int rounds) {
  PackedSymmetric covariance(gram.size()), tangent(gram.size());
  const LayerPriors priors(network, {1.5, 0.1});
  const LayerVariances variances(network, priors, features, gram_diagonal(gram));
  Passes passes;
  for (int round = 0; round <= rounds; ++round) {  // the first touches the memory
    const TangentPass pass(network, priors, gradient_descent_rates(network), features, variances);
    passes.covariance =
        std::min(passes.covariance,
                 seconds_of([&] { packed_covariance(network, priors, features, variances, 0.0, gram, covariance); }));
    passes.both = std::min(passes.both, seconds_of([&] { packed_tangent(pass, gram, covariance, tangent); }));
  }
  return passes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int samples = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  const Index features = 100;
  PreparedData data;
  data.task = Task::classification;
  data.train.inputs.resize(samples, features);
  RandomStream(1, RandomUse::simulation)
      .fill_normal(std::span<double>(data.train.inputs.data(), static_cast<std::size_t>(data.train.inputs.size())));
  data.train.targets = Matrix::Constant(samples, 10, -0.1);
  for (Index i = 0; i < samples; ++i) data.train.targets(i, i % 10) = 0.9;

  TrainedRiskEngine engine(data.train.inputs, data.train.targets, data.task, NetworkSpec::uniform(1));
  std::vector<double> matrix(static_cast<std::size_t>(samples) * static_cast<std::size_t>(samples));
  double potrf = 1e300, risk = 1e300;
  for (int round = 0; round < rounds; ++round) {
    potrf = std::min(potrf, time_potrf(samples, matrix));
    risk = std::min(risk, seconds_of([&] { engine.evaluate(LayerPrior{1.5, 0.1}); }));
  }
  fmt::print("| a prediction, N = {} | {:.3f} s | {:.1f} Cholesky factorisations |\n", samples, risk, risk / potrf);
  PackedSymmetric gram(samples);
  packed_gram(data.train.inputs, gram);
  for (const char* name : {"relu", "erf", "gelu", "tanh"}) {
    for (const Index depth : {1, 3}) {
      const Passes passes =
          time_passes(NetworkSpec::uniform(depth, 2000, Activation::parse(name)), gram, features, rounds);
      fmt::print("| K and Θ, {}, depth {} | {:.3f} s | {:.2f} × K alone |\n", name, depth, passes.both,
                 passes.both / passes.covariance);
    }
  }
}

// The paper's 15 cells on MNIST against LAPACK's potrf on the same size, interleaved in one run so that a noisy machine
// disturbs both alike.
//   evidence_bench SAMPLES ROUNDS X.npy Y.npy   (the sample is written there for the NumPy peer)
//   evidence_bench SAMPLES                      (one cell: seconds and peak resident memory)
#include <fmt/format.h>
#include <lapack.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "arrays/npy.hpp"
#include "priorfit/priorfit.hpp"
#include "support/file_io.hpp"
#include "support/memory.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of one dpotrf on a well-conditioned matrix.
double time_potrf(int size, std::vector<double>& matrix) {
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      matrix[static_cast<std::size_t>(j) * size + i] = i == j ? size : 1.0 / (1 + std::abs(i - j));
    }
  }
  const char lower = 'L';
  int info = 0;
  const double start = now();
  LAPACK_dpotrf(&lower, &size, matrix.data(), &size, &info);
  return now() - start;
}

void one_cell(Index samples) {
  const PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = samples});
  const double start = now();
  EvidenceEngine engine(data.train.inputs, data.train.targets, NetworkSpec::uniform(1),
                        {.gram = GramStorage::recomputed});
  const Evidence he = engine.evaluate({2.0, 0.0}, 1e-6);
  fmt::print("| {} | {:.2f} GB | {:.2f} GB | {:.2f} GB | {:.0f} | {:.1f} |\n", samples, double(peak_memory()) / 1e9,
             double(EvidenceEngine::workspace_bytes(samples, false)) / 1e9, double(samples) * double(samples) * 8 / 1e9,
             now() - start, he.log_marginal_likelihood);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    one_cell(std::atoi(argv[1]));
    return 0;
  }
  if (argc != 5) return 2;
  const int samples = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  const PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = samples});
  write_file(argv[3], npy_bytes(data.train.inputs));
  write_file(argv[4], npy_bytes(data.train.targets));

  std::vector<double> full(static_cast<std::size_t>(samples) * samples);
  std::vector<double> potrf, cells;
  Recommendation answer;
  time_potrf(samples, full);  // touch the memory
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 5; ++k) potrf.push_back(time_potrf(samples, full));
    const double start = now();
    EvidenceEngine engine(data.train.inputs, data.train.targets, NetworkSpec::uniform(1));
    for (const double weight : {0.4, 1.2, 2.0, 2.8, 3.6}) {
      for (const double bias : {0.0, 1.0, 2.0}) engine.evaluate({weight, bias}, 1e-6);
    }
    cells.push_back(now() - start);
  }
  answer = recommend(data, NetworkSpec::uniform(1), RecommendOptions::paper_grid());
  const double flops = double(samples) * samples * samples / 3.0;
  fmt::print(
      "{{\"samples\": {}, \"potrf_seconds\": {:.5f}, \"potrf_gflops\": {:.1f}, \"grid_seconds\": {:.4f}, "
      "\"ratio\": {:.3f}, \"recommend_seconds\": {:.4f}, \"best_weight\": {}, \"best_bias\": {}, "
      "\"best_evidence\": {:.9f}}}\n",
      samples, median(potrf), flops / median(potrf) / 1e9, median(cells), median(cells) / (15 * median(potrf)),
      answer.seconds, answer.best().pair().weight_variance, answer.best().pair().bias_variance,
      answer.best().evidence().log_marginal_likelihood);
}

// The gradient, the reduction and the whole search on MNIST in units of one packed Cholesky factorisation, interleaved
// in one run and the best of several rounds, so that a noisy machine disturbs all alike. On one thread processor time
// is measured, which other processes hardly disturb.
//
// Usage: gradient_bench SAMPLES ROUNDS THREADS
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "linalg/packed.hpp"
#include "linalg/threads.hpp"
#include "priorfit/priorfit.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

bool processor_time = false;

double now() {
  timespec time;
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

void fill_positive_definite(PackedSymmetric& matrix) {
  for (Index c = 0; c < matrix.columns(); ++c) {
    for (const PackedRun& run : matrix.runs(c)) {
      for (Index k = 0; k < run.length; ++k) {
        const Index apart = std::abs(run.first_row + k - run.column);
        matrix.values()[run.offset + k] = apart == 0 ? double(matrix.size()) : 1.0 / double(1 + apart);
      }
    }
  }
}

struct Best {
  double seconds = 1e300;
  void take(double measured) { seconds = std::min(seconds, measured); }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Index samples = std::atoi(argv[1]);
  const int rounds = std::atoi(argv[2]), threads = std::atoi(argv[3]);
  const ThreadScope scope(threads);
  processor_time = threads == 1;
  const PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = samples});
  const NetworkSpec network = NetworkSpec::uniform(1);
  EvidenceEngine engine(data.train.inputs, data.train.targets, network);
  PackedSymmetric matrix(samples);
  Best cholesky, evidence, leave_one_out, gradient, reduction, point, search, whole;
  Recommendation answer;
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 3; ++k) {
      fill_positive_definite(matrix);
      cholesky.take(seconds_of([&] { packed_cholesky(matrix); }));
    }
    const double noise = 1e-4 * (1 + 0.01 * round);  // never the factor that is still held
    evidence.take(seconds_of([&] { engine.evaluate({2.0, 0.1}, noise); }));
    leave_one_out.take(seconds_of([&] { engine.evaluate_with_leave_one_out({2.1, 0.1}, noise); }));
    gradient.take(seconds_of([&] { engine.evaluate_with_gradient({2.2, 0.1}, noise); }));
    std::optional<EvidenceProfile> profile;
    reduction.take(seconds_of([&] { profile = engine.profile({2.0, 0.0}); }));
    point.take(seconds_of([&] { profile->at_scale(1.1, noise); }));
    // The search reports its first evaluation of intervals and baselines as another stage.
    const double begin = now();
    double found = begin;
    const auto progress = [&](const Progress& p) {
      if (p.stage.find("search") != std::string::npos) found = now();
      return true;
    };
    answer = recommend(data, network, {}, {.threads = threads, .progress = progress});
    whole.take(now() - begin);
    search.take(found - begin);
  }
  const double unit = cholesky.seconds;
  fmt::print(
      "{{\"samples\": {}, \"cholesky_seconds\": {:.5f}, \"evidence\": {:.2f}, \"leave_one_out\": {:.2f}, "
      "\"gradient\": {:.2f}, \"reduction\": {:.2f}, \"profile_point\": {:.3f}, \"search\": {:.1f}, "
      "\"recommend\": {:.1f}, \"equivalents\": {:.1f}, \"weight_variance\": {:.5g}, \"bias_variance\": {:.5g}, "
      "\"noise_variance\": {:.4g}, \"per_value\": {:.5f}}}\n",
      samples, unit, evidence.seconds / unit, leave_one_out.seconds / unit, gradient.seconds / unit,
      reduction.seconds / unit, point.seconds / unit, search.seconds / unit, whole.seconds / unit,
      answer.cost.equivalents, answer.best().pair().weight_variance, answer.best().pair().bias_variance,
      answer.best().evidence().noise_variance, answer.best().evidence().per_value);
}

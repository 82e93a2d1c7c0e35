// An evidence cell of each activation in units of a ReLU cell, interleaved in one run and the best of several rounds;
// and what the first cell costs more, which is the making of its tables. In processor time, which a busy machine
// disturbs less; with OMP_NUM_THREADS=1 no thread spins while it waits.
//
// Usage: activation_bench SAMPLES DEPTH ROUNDS [ACTIVATION...]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "priorfit/priorfit.hpp"
#include "support/random.hpp"
#include "timing.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

struct Contestant {
  std::string name;
  std::unique_ptr<EvidenceEngine> engine;
  double first = 0, evidence = 1e300, gradient = 1e300;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const Index samples = std::atoi(argv[1]), depth = std::atoi(argv[2]), features = 100;
  const int rounds = std::atoi(argv[3]);
  Matrix inputs(samples, features), targets(samples, 10);
  RandomStream stream(1, RandomUse::simulation);
  stream.fill_normal(std::span<double>(inputs.data(), inputs.size()));
  stream.fill_normal(std::span<double>(targets.data(), targets.size()));
  for (Index i = 0; i < samples; ++i)
    inputs.row(i) *= std::exp2(double(i % 16) / 8 - 1);  // variances within a factor 14

  std::vector<std::string> names(argv + 4, argv + argc);
  if (names.empty()) names = Activation::names();
  std::vector<Contestant> contestants;
  for (const std::string& name : names) contestants.push_back({name, nullptr});
  contestants.insert(contestants.begin(), {"relu", nullptr});
  for (Contestant& one : contestants) {
    one.engine = std::make_unique<EvidenceEngine>(
        inputs, targets, NetworkSpec::uniform(depth, 2000, Activation::parse(one.name)), EvidenceOptions{});
    one.first = seconds_of([&] { one.engine->evaluate({1.5, 0.1}, 0.1); });
  }
  for (int round = 0; round < rounds; ++round) {
    const double noise = 0.1 * (1 + 0.01 * (round + 1));  // never the factor that is still held
    for (Contestant& one : contestants) {
      one.evidence = std::min(one.evidence, seconds_of([&] { one.engine->evaluate({1.5, 0.1}, noise); }));
      one.gradient = std::min(one.gradient, seconds_of([&] {
                                one.engine->evaluate_with_gradient({1.5, 0.1}, noise / 2);
                              }));
    }
  }
  const Contestant& relu = contestants.front();
  for (const Contestant& one : contestants) {
    fmt::print(
        "{{\"activation\": \"{}\", \"samples\": {}, \"depth\": {}, \"evidence_seconds\": {:.4f}, \"evidence\": {:.3f}, "
        "\"gradient_seconds\": {:.4f}, \"gradient\": {:.3f}, \"tables_seconds\": {:.3f}}}\n",
        one.name, samples, depth, one.evidence, one.evidence / relu.evidence, one.gradient,
        one.gradient / relu.gradient, one.first - one.evidence);
  }
}

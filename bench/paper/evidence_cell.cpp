// One cell of the paper's grid by itself, without the baselines that `priorfit recommend` adds:
//     evidence_cell SAMPLES WEIGHT_VARIANCE BIAS_VARIANCE NOISE_VARIANCE [THREADS]
// prints weight_variance,bias_variance,log_marginal_likelihood,jitter,status.
#include <fmt/format.h>

#include <cstdlib>
#include <priorfit/priorfit.hpp>

#include "linalg/threads.hpp"

int main(int argc, char** argv) try {
  using namespace priorfit;
  if (argc < 5)
    throw Error(ErrorKind::usage, "evidence_cell SAMPLES WEIGHT_VARIANCE BIAS_VARIANCE NOISE_VARIANCE [THREADS]");
  const internal::ThreadScope threads(argc > 5 ? std::atoi(argv[5]) : 0);
  const PreparedData data = prepare(load_dataset({.source = "mnist"}), {.samples = std::atol(argv[1])});
  const LayerPrior pair{std::atof(argv[2]), std::atof(argv[3])};
  EvidenceEngine engine(data.train.inputs, data.train.targets, NetworkSpec::uniform(1),
                        {.gram = GramStorage::recomputed});
  const Evidence evidence = engine.evaluate(pair, std::atof(argv[4]));
  fmt::print("{},{},{},{},{}\n", pair.weight_variance, pair.bias_variance, evidence.log_marginal_likelihood,
             evidence.jitter, to_string(evidence.status));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "evidence_cell: {}\n", error.what());
  return 1;
}

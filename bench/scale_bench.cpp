// Time and memory of one evidence and one gradient, by this process alone or by all ranks of mpirun.
//     scale_bench SAMPLES [evidence|gradient] [ROWS,COLUMNS]
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "distributed/distributed.hpp"
#include "linalg/threads.hpp"
#include "priorfit/evidence.hpp"
#include "support/memory.hpp"
#include "support/random.hpp"

namespace {

using namespace priorfit;
using namespace priorfit::internal;

Matrix drawn(Index rows, Index columns, std::uint64_t seed) {
  Matrix values(rows, columns);
  RandomStream(seed, RandomUse::simulation).fill_normal(std::span<double>(values.data(), values.size()));
  return values;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  const Index samples = argc > 1 ? std::atol(argv[1]) : 2000;
  const bool gradient = argc > 2 && std::string(argv[2]) == "gradient";
  std::optional<GridShape> shape;
  if (argc > 3)
    shape = GridShape{std::atoi(argv[3]),
                      std::atoi(std::string(argv[3]).substr(std::string(argv[3]).find(',') + 1).c_str())};
  {
    const World world(shape);
    const Matrix inputs = drawn(samples, 784, 1), targets = drawn(samples, 10, 2);
    EvidenceOptions options{.gram = GramStorage::recomputed};
    if (world.size() > 1) options.elsewhere = evidence_of_all(world);
    EvidenceEngine engine(inputs, targets, NetworkSpec::uniform(1), options);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds();
    const LayerPrior he{2.0, 0.0};
    const double value = gradient ? engine.evaluate_with_gradient(he, 0.01).evidence.log_marginal_likelihood
                                  : engine.evaluate(he, 0.01).log_marginal_likelihood;
    const double took = seconds() - start;
    double peak = static_cast<double>(peak_memory());
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (world.rank() == 0) {
      fmt::print("{},{},{},{},{},{:.3f},{:.0f},{:.6f}\n", gradient ? "gradient" : "evidence", samples, world.size(),
                 fmt::format("{}x{}", world.shape().rows, world.shape().columns), threads_in_use(), took, peak, value);
    }
  }
  MPI_Finalize();
  return 0;
}

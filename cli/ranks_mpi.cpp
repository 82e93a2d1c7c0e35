// priorfit-mpi.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "distributed/distributed.hpp"
#include "flags.hpp"
#include "priorfit/error.hpp"
#include "ranks.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

int own_rank = 0, all_ranks = 1;
std::optional<World> world;  // made when the shape of its grid is known

const World& world_of(const std::string& shape) {
  if (world) return *world;
  std::optional<GridShape> wanted;
  if (!shape.empty()) {
    const std::vector<double> numbers = parse_number_list("--grid-shape", shape);
    if (numbers.size() != 2 || numbers[0] * numbers[1] != all_ranks || numbers[0] < 1) {
      throw Error(ErrorKind::usage,
                  fmt::format("--grid-shape is '{}': give rows,columns whose product is {}, the "
                              "number of ranks, such as {},{}",
                              shape, all_ranks, usual_shape(all_ranks).rows, usual_shape(all_ranks).columns));
    }
    wanted = GridShape{static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
  }
  world.emplace(wanted);
  return *world;
}

}  // namespace

void join_ranks(char**) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);  // an experiment's desk is a thread
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
  if (own_rank != 0 && !std::freopen("/dev/null", "w", stdout)) std::_Exit(5);
  // mpirun gives each rank a terminal for its stdout, wherever its own goes: colour would end up in files.
  if (all_ranks > 1) setenv("NO_COLOR", "1", /*overwrite=*/1);
}

int leave_ranks(int code) {
  if (code != 0 && several_ranks()) {
    // Others may wait for this rank for ever. Rank 0 says what all of them met, so it goes first.
    if (!speaks()) std::this_thread::sleep_for(std::chrono::seconds(5));
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  world.reset();
  MPI_Finalize();
  return code;
}

int rank() { return own_rank; }
int ranks() { return all_ranks; }

ThreadChoice threads_of_rank() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const long allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : cores;
  if (allowed < cores) return {static_cast<int>(allowed)};  // mpirun gave each rank cores of its own
  return {std::max(1, static_cast<int>(cores / world_of("").on_this_machine()))};
}

void RankFlags::add_to(CLI::App& command) {
  command.add_option("--grid-shape", shape_, "with mpirun: rows,columns of the grid of ranks (default: chosen)");
}

std::shared_ptr<EvidenceElsewhere> RankFlags::evidence() const {
  const World& all = world_of(shape_);
  return several_ranks() ? evidence_of_all(all) : nullptr;
}

std::shared_ptr<PredictionElsewhere> RankFlags::prediction() const {
  const World& all = world_of(shape_);
  return several_ranks() ? prediction_of_all(all) : nullptr;
}

std::shared_ptr<ExperimentElsewhere> experiment_elsewhere() {
  return several_ranks() ? experiment_of_all(world_of("")) : nullptr;
}

}  // namespace priorfit::cli

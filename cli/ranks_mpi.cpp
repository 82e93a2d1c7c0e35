// priorfit-mpi.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "distributed/distributed.hpp"
#include "flags.hpp"
#include "priorfit/error.hpp"
#include "ranks.hpp"
#include "support/control_groups.hpp"

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
    const bool whole =
        std::all_of(numbers.begin(), numbers.end(), [](double n) { return n == std::floor(n) && n > 0; });
    if (numbers.size() != 2 || !whole || numbers[0] * numbers[1] != all_ranks) {
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
  if (all_ranks == 1 && started_tasks() > 1) {  // each would do the whole job, and write over the others' results
    MPI_Finalize();
    refuse_tasks(
        fmt::format("the {} tasks that were started cannot see each other: use srun --mpi=pmix or mpirun, or start "
                    "one",
                    started_tasks()));
  }
  if (own_rank != 0 && !std::freopen("/dev/null", "w", stdout)) std::_Exit(5);
  // mpirun gives each rank a terminal for its stdout, wherever its own goes: colour would end up in files.
  if (all_ranks > 1) setenv("NO_COLOR", "1", /*overwrite=*/1);
}

int leave_ranks(int code) {
  if (code != 0 && several_ranks()) {
    let_first_rank_speak();  // and then end the others, which may wait for this one for ever
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  world.reset();
  MPI_Finalize();
  return code;
}

int rank() { return own_rank; }
int ranks() { return all_ranks; }

bool has_mpi() { return true; }

ThreadChoice threads_of_rank() {
  const World& all = world_of("");
  const double quota = ControlGroups().cores() / all.on_this_machine();
  return {.threads = std::max(1, static_cast<int>(std::min(all.share_of_cores(), quota) + 1e-9)),
          .reason = all.on_this_machine() > 1 ? fmt::format("{} ranks share this machine", all.on_this_machine()) : ""};
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

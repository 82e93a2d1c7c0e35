// priorfit without MPI.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "console.hpp"
#include "priorfit/error.hpp"
#include "ranks.hpp"

namespace priorfit::cli {
namespace {

int number_of(std::initializer_list<const char*> variables) {
  for (const char* name : variables) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

}  // namespace

void join_ranks(char** arguments) {
  if (number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) < 2) return;
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) > 0) {
    execv((std::filesystem::path(path.data()).parent_path() / "priorfit-mpi").c_str(), arguments);
  }
  execvp("priorfit-mpi", arguments);
  if (number_of({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) == 0) {
    tell(
        "priorfit: several processes were started, and this priorfit works in one: install the package "
        "priorfit-mpi, or build it (scripts/bootstrap mpi, then scripts/build -DPRIORFIT_MPI=ON) and keep it beside "
        "priorfit; or start one process\n");
  } else {
    // mpirun ends all as soon as one has failed: were it this one, rank 0 might not have spoken yet.
    std::this_thread::sleep_for(std::chrono::seconds(10));
  }
  std::exit(2);
}

int leave_ranks(int code) { return code; }
int rank() { return 0; }
int ranks() { return 1; }
internal::ThreadChoice threads_of_rank() { return {}; }

void RankFlags::add_to(CLI::App& command) {
  command.add_option("--grid-shape", shape_, "with mpirun: rows,columns of the grid of ranks (default: chosen)");
}

std::shared_ptr<internal::EvidenceElsewhere> RankFlags::evidence() const {
  if (!shape_.empty()) throw Error(ErrorKind::usage, "--grid-shape is for several ranks: start priorfit by mpirun");
  return nullptr;
}

std::shared_ptr<internal::PredictionElsewhere> RankFlags::prediction() const {
  evidence();
  return nullptr;
}

std::shared_ptr<internal::ExperimentElsewhere> experiment_elsewhere() { return nullptr; }

}  // namespace priorfit::cli

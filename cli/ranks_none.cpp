// priorfit without MPI.
#include <unistd.h>

#include <array>
#include <filesystem>

#include "priorfit/error.hpp"
#include "ranks.hpp"

namespace priorfit::cli {

void join_ranks(char** arguments) {
  if (started_tasks() < 2) return;
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) > 0) {
    execv((std::filesystem::path(path.data()).parent_path() / "priorfit-mpi").c_str(), arguments);
  }
  execvp("priorfit-mpi", arguments);
  refuse_tasks(
      "several processes were started, and this priorfit works in one: install the package priorfit-mpi, or build it "
      "(scripts/bootstrap mpi, then scripts/build -DPRIORFIT_MPI=ON) and keep it beside priorfit; or start one "
      "process");
}

int leave_ranks(int code) { return code; }
int rank() { return 0; }
int ranks() { return 1; }
internal::ThreadChoice threads_of_rank() { return {}; }
bool has_mpi() { return false; }

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

// What both programs know of ranks, with MPI or without.
#include "ranks.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "console.hpp"

namespace priorfit::cli {
namespace {

constexpr auto patience = std::chrono::seconds(5);

int number_of(std::initializer_list<const char*> variables) {
  for (const char* name : variables) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

}  // namespace

int started_tasks() {
  if (const int tasks = number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); tasks > 0) return tasks;
  if (std::getenv("SLURM_PTY_PORT")) return 1;  // a shell in an interactive step: what is typed there runs once
  return number_of({"SLURM_STEP_NUM_TASKS"});
}

void refuse_tasks(std::string_view why) {
  if (number_of({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) == 0) {
    tell("priorfit: {}\n", why);
  } else {
    // A launcher may end all as soon as one has failed: were it this one, the first might not have spoken yet.
    std::this_thread::sleep_for(patience);
  }
  std::exit(2);
}

void let_first_rank_speak() {
  static bool waited = false;
  if (!speaks() && !waited) std::this_thread::sleep_for(patience);
  waited = true;
}

void RankFlags::add_to(CLI::App& command) {
  command.add_option("--grid-shape", shape_, "with mpirun: rows,columns of the grid of ranks (default: chosen)");
}

}  // namespace priorfit::cli

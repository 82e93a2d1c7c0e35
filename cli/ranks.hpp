// The processes that `mpirun` or `srun` started together. A command that can share its work among them does; rank 0
// speaks. priorfit knows only how to find priorfit-mpi (ranks_none.cpp), which has MPI (ranks_mpi.cpp).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "evidence/elsewhere.hpp"
#include "experiment/elsewhere.hpp"
#include "predict/elsewhere.hpp"
#include "support/free_cores.hpp"

namespace priorfit::cli {

/// First thing in main(). Where several processes were started and this program has no MPI, hands over to priorfit-mpi,
/// or says how to get it and exits.
void join_ranks(char** arguments);
/// Last thing: ends the others too where `code` is not 0.
int leave_ranks(int code);

/// How many tasks a launcher (mpirun, mpiexec, srun) says that it started together; below 2 where each is for itself.
int started_tasks();
/// Ends this one of several started tasks, which are not ranks of one run; the first of them says why.
[[noreturn]] void refuse_tasks(std::string_view why);

/// Before an error is told. Most errors meet all ranks, and rank 0 ends the others when it has told its own: this waits
/// for that end, in ranks other than 0. One that is still there afterwards met its error alone.
void let_first_rank_speak();

int rank();
int ranks();
inline bool several_ranks() { return ranks() > 1; }
inline bool speaks() { return rank() == 0; }
/// Threads of this rank, where none are asked for: its share of the cores that it and others of its machine may use.
internal::ThreadChoice threads_of_rank();
/// Whether this program has MPI.
bool has_mpi();

/// Null where there is one process.
std::shared_ptr<internal::ExperimentElsewhere> experiment_elsewhere();

/// --grid-shape
class RankFlags {
 public:
  void add_to(CLI::App& command);
  /// Null where there is one process. Throws Error(usage) for a shape that does not fit.
  std::shared_ptr<internal::EvidenceElsewhere> evidence() const;
  std::shared_ptr<internal::PredictionElsewhere> prediction() const;

 private:
  std::string shape_;
};

}  // namespace priorfit::cli

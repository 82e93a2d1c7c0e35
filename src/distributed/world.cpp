#include "distributed/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "distributed/scalapack.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

constexpr Index most_at_once = Index{1} << 24;  // MPI counts in 32 bits

/// For the calling process of this communicator's, which are all on one machine.
double cores_of(MPI_Comm machine, int processes) {
  int own = 0;
  MPI_Comm_rank(machine, &own);
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = sched_getaffinity(0, sizeof set, &set) == 0;  // not with more than 1024 cores
  std::vector<cpu_set_t> affinities(static_cast<std::size_t>(processes));
  MPI_Allgather(&set, sizeof set, MPI_BYTE, affinities.data(), sizeof set, MPI_BYTE, machine);
  if (!known) return static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)) / processes;
  return share_of_cores(affinities, static_cast<std::size_t>(own));
}

}  // namespace

GridShape usual_shape(int processes) {
  int rows = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(processes))));
  while (processes % rows != 0) --rows;
  return {rows, processes / rows};
}

double share_of_cores(const std::vector<cpu_set_t>& affinities, std::size_t own) {
  double share = 0.0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &affinities[own])) continue;
    share += 1.0 / static_cast<double>(std::count_if(affinities.begin(), affinities.end(),
                                                     [&](const cpu_set_t& set) { return CPU_ISSET(core, &set); }));
  }
  return share;
}

World::World(const std::optional<GridShape>& shape) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &local_);
  cores_ = cores_of(machine, local_);
  MPI_Comm_free(&machine);
  shape_ = shape.value_or(usual_shape(size_));
  if (shape_.rows < 1 || shape_.columns < 1 || shape_.rows * shape_.columns != size_) {
    throw Error(ErrorKind::usage, fmt::format("grid_shape is {},{}: rows times columns must be {}, the number of ranks",
                                              shape_.rows, shape_.columns, size_));
  }
  context_ = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&context_, "Row", shape_.rows, shape_.columns);
  Cblacs_gridinfo(context_, &shape_.rows, &shape_.columns, &row_, &column_);
}

World::~World() { Cblacs_gridexit(context_); }

void World::sum(double* values, Index count) const {
  for (Index first = 0; first < count; first += most_at_once) {
    MPI_Allreduce(MPI_IN_PLACE, values + first, static_cast<int>(std::min(most_at_once, count - first)), MPI_DOUBLE,
                  MPI_SUM, MPI_COMM_WORLD);
  }
}

double World::sum(double value) const {
  sum(&value, 1);
  return value;
}

double World::least(double value) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return value;
}

int World::largest(int value) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

void World::agree(double* values, Index count) const {
  for (Index first = 0; first < count; first += most_at_once) {
    MPI_Bcast(values + first, static_cast<int>(std::min(most_at_once, count - first)), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}

}  // namespace priorfit::internal

// The one pool of threads: OpenMP's, which OpenBLAS (its OpenMP build) uses too.
#pragma once

#include "support/free_cores.hpp"

namespace priorfit::internal {

/// Sets the number of threads of OpenMP and OpenBLAS for its lifetime; 0 or less leaves both as they are. OpenBLAS's is
/// one for the whole process, which others may have limited: it is put back to what it was.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  bool changed_;
  int previous_;
  int previous_blas_;
};

/// How many threads a computation uses now.
int threads_in_use();

/// Whether somebody has set OpenMP's own number, by OMP_NUM_THREADS or in the program.
bool threads_are_set();

/// For a long call that was asked to use so many; 0: as many as are free (support/free_cores), unless
/// threads_are_set().
ThreadChoice threads_for_call(int asked);

/// Has OpenBLAS take the buffers it works in, 128 MB of addresses per thread, of which few are ever filled. Where
/// `ulimit -v` refuses them it asks again for ever; hence Error(resource) before that. ThreadScope calls it.
void reserve_blas_buffers(int threads);

/// 1 for a matrix so small that waking a second thread costs more than it saves, 0 (leave as is) otherwise. On a busy
/// machine the difference is large: 16 cells of 120 samples took 0.7 s with two threads and 0.05 s with one.
int threads_for(long matrix_size);

}  // namespace priorfit::internal

// The one pool of threads: OpenMP's, which OpenBLAS (its OpenMP build) uses too.
#pragma once

namespace priorfit {

/// Sets the number of threads of OpenMP and OpenBLAS for its lifetime; 0 or less leaves both as they are.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int previous_;
};

/// How many threads a computation uses now.
int threads_in_use();

/// Has OpenBLAS take the buffers it works in, 128 MB of addresses per thread, of which few are ever filled. Where
/// `ulimit -v` refuses them it asks again for ever; hence Error(resource) before that. ThreadScope calls it.
void reserve_blas_buffers(int threads);

/// 1 for a matrix so small that waking a second thread costs more than it saves, 0 (leave as is) otherwise. On a busy
/// machine the difference is large: 16 cells of 120 samples took 0.7 s with two threads and 0.05 s with one.
int threads_for(long matrix_size);

}  // namespace priorfit

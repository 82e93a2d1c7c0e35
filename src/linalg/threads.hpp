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

}  // namespace priorfit

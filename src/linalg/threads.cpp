#include "linalg/threads.hpp"

#include <cblas.h>
#include <omp.h>

namespace priorfit {
namespace {

void set_threads(int threads) {
  omp_set_num_threads(threads);
  openblas_set_num_threads(threads);
}

}  // namespace

ThreadScope::ThreadScope(int threads) : previous_(omp_get_max_threads()) {
  if (threads > 0) set_threads(threads);
}

ThreadScope::~ThreadScope() { set_threads(previous_); }

int threads_for(long matrix_size) { return matrix_size < 400 ? 1 : 0; }

}  // namespace priorfit

#include "linalg/threads.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

void set_threads(int threads, int blas_threads) {
  openblas_set_num_threads(blas_threads);  // sets OpenMP's number too
  omp_set_num_threads(threads);
}

}  // namespace

void reserve_blas_buffers(int threads) {
  constexpr std::uint64_t buffer_bytes = (std::uint64_t{128} << 20) + (1 << 16);
  static std::mutex mutex;
  static int reserved = 0;
  const std::lock_guard lock(mutex);
  if (threads <= reserved) return;
  // At its start OpenBLAS took one per thread; the caller's own comes with its first call.
  const int more = reserved == 0 ? 1 + std::max(0, threads - omp_get_max_threads()) : threads - reserved;
  const std::uint64_t needed = static_cast<std::uint64_t>(more) * buffer_bytes, there = address_space_left();
  if (there < needed) {
    throw Error(ErrorKind::resource,
                fmt::format("not enough memory for linear algebra with {} thread{}: {} bytes of addresses "
                            "are needed and {} are left; raise the limit (ulimit -v)",
                            threads, threads == 1 ? "" : "s", needed, there));
  }
  double one = 1.0;
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, 1, 1, 0.0, &one, 1, 1.0, &one, 1);
  reserved = threads;
}

ThreadScope::ThreadScope(int threads)
    : changed_(threads > 0), previous_(omp_get_max_threads()), previous_blas_(openblas_get_num_threads()) {
  reserve_blas_buffers(changed_ ? threads : previous_);
  if (changed_) set_threads(threads, threads);
}

ThreadScope::~ThreadScope() {
  if (changed_) set_threads(previous_, previous_blas_);
}

int threads_in_use() { return omp_get_max_threads(); }

bool threads_are_set() { return std::getenv("OMP_NUM_THREADS") || omp_get_max_threads() != omp_get_num_procs(); }

ThreadChoice threads_for_call(int asked) {
  if (asked > 0) return {asked};
  if (threads_are_set()) return {omp_get_max_threads()};
  return choose_threads();
}

int threads_for(long matrix_size) { return matrix_size < 400 ? 1 : 0; }

}  // namespace priorfit::internal

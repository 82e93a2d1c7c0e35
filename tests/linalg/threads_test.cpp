#include "linalg/threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <omp.h>

namespace priorfit {
using namespace internal;
namespace {

// Others in the process may have limited OpenBLAS: it is theirs.
TEST(ThreadScope, PutsBackWhatItFound) {
  const int threads = omp_get_max_threads(), blas = openblas_get_num_threads();
  openblas_set_num_threads(1);
  omp_set_num_threads(3);
  { const ThreadScope scope(2); }
  EXPECT_EQ(openblas_get_num_threads(), 1);
  { const ThreadScope scope(0); }
  EXPECT_EQ(openblas_get_num_threads(), 1);
  EXPECT_EQ(omp_get_max_threads(), 3);
  openblas_set_num_threads(blas);
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace priorfit

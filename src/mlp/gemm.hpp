// BLAS's product in both precisions, with the project's index type.
#pragma once

#include <cblas.h>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

struct Operand {
  CBLAS_TRANSPOSE transpose;
  Index stride;
};

/// c (rows × columns) = op(a) · op(b) + beta · c; row-major, `inner` the summed dimension.
inline void gemm(Index rows, Index columns, Index inner, const float* a, Operand a_is, const float* b, Operand b_is,
                 float beta, float* c, Index c_stride) {
  const auto n = [](Index value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, a_is.transpose, b_is.transpose, n(rows), n(columns), n(inner), 1.0F, a, n(a_is.stride), b,
              n(b_is.stride), beta, c, n(c_stride));
}

inline void gemm(Index rows, Index columns, Index inner, const double* a, Operand a_is, const double* b, Operand b_is,
                 double beta, double* c, Index c_stride) {
  const auto n = [](Index value) { return static_cast<blasint>(value); };
  cblas_dgemm(CblasRowMajor, a_is.transpose, b_is.transpose, n(rows), n(columns), n(inner), 1.0, a, n(a_is.stride), b,
              n(b_is.stride), beta, c, n(c_stride));
}

inline Operand as_is(Index stride) { return {CblasNoTrans, stride}; }
inline Operand transposed(Index stride) { return {CblasTrans, stride}; }

}  // namespace priorfit::internal

// What is used of ScaLAPACK and of the BLACS below it, which come without headers.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include "priorfit/error.hpp"

extern "C" {
int Csys2blacs_handle(MPI_Comm communicator);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* size, const int* block, const int* process, const int* first, const int* processes);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block, const int* column_block,
               const int* first_row, const int* first_column, const int* context, const int* leading, int* info);
void pdpotrf_(const char* triangle, const int* size, double* a, const int* ia, const int* ja, const int* desc_a,
              int* info);
void pdlauum_(const char* triangle, const int* size, double* a, const int* ia, const int* ja, const int* desc_a);
void pdtrtri_(const char* triangle, const char* diagonal, const int* size, double* a, const int* ia, const int* ja,
              const int* desc_a, int* info);
void pdtrsm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* rows,
             const int* columns, const double* alpha, const double* a, const int* ia, const int* ja, const int* desc_a,
             double* b, const int* ib, const int* jb, const int* desc_b);
void pdtrmm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* rows,
             const int* columns, const double* alpha, const double* a, const int* ia, const int* ja, const int* desc_a,
             double* b, const int* ib, const int* jb, const int* desc_b);
void pdsyrk_(const char* triangle, const char* transpose, const int* size, const int* inner, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desc_a, const double* beta, double* c,
             const int* ic, const int* jc, const int* desc_c);
}

namespace priorfit::internal {

/// Of what a routine says of its arguments, the only thing that can be wrong with most.
inline void check_arguments(const char* routine, int info) {
  if (info < 0) throw Error(ErrorKind::internal, fmt::format("{} refused its argument {}", routine, -info));
}

}  // namespace priorfit::internal

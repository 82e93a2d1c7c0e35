// What --version says of the build: its BLAS, the instructions it would use here, its compiler.
#include <cblas.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include "priorfit/version.hpp"

namespace priorfit {

std::string build_facts(bool mpi) {
  const auto supported = static_cast<std::uint64_t>(hwy::SupportedTargets());
  const auto best = static_cast<std::int64_t>(supported & (~supported + 1));  // the lowest bit is the best target
#ifdef OPENBLAS_VERSION
  const std::string blas = openblas_get_config();
#else
  const std::string blas = "a BLAS other than OpenBLAS";
#endif
  return fmt::format("BLAS: {}\ninstructions: {}\nMPI: {}\ncompiler: {}\n", blas, hwy::TargetName(best),
                     mpi ? "yes" : "no",
#ifdef __clang__
                     "Clang " __clang_version__
#else
                     "GCC " __VERSION__
#endif
  );
}

}  // namespace priorfit

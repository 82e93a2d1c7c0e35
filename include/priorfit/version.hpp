#pragma once

#include <string>
#include <string_view>

namespace priorfit {

std::string_view version();

/// What this build computes with, one fact per line: linear algebra, the instructions chosen on this machine, MPI
/// (of the program: the library has none).
std::string build_facts(bool mpi = false);

}  // namespace priorfit

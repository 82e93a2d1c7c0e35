#include "invocation.hpp"

#include "support/text.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

std::string command_line;

}  // namespace

void remember_invocation(int argc, const char* const* argv) {
  command_line = "priorfit";  // wherever this one was started from
  for (int i = 1; i < argc; ++i) command_line.append(" ").append(shell_quoted(argv[i]));
}

const std::string& invocation() { return command_line; }

}  // namespace priorfit::cli

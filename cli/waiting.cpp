#include "waiting.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace priorfit::cli {

void wait_briefly(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  setenv("GOMP_SPINCOUNT", "3000", /*overwrite=*/1);
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length > 0) {
    execv(path.data(), arguments);
  } else if (arguments[0]) {
    execvp(arguments[0], arguments);  // no /proc, as in a bare chroot
  }
  // Where that is not possible the program runs as it is, only slower beside others.
}

}  // namespace priorfit::cli

#include "priorfit/context.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"

namespace priorfit {

void RunContext::validate() const {
  if (threads < 0) throw Error(ErrorKind::usage, fmt::format("threads is {}: it must be at least 0", threads));
}

void RunContext::report(const Progress& now) const {
  if (progress && !progress(now)) throw Error(ErrorKind::interrupted, "interrupted during " + now.stage);
}

}  // namespace priorfit

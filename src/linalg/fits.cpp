#include "linalg/fits.hpp"

#include <fmt/format.h>

#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

constexpr double usable_share = 0.9;  // the rest is for the system and what else is small
constexpr double named_share = 0.99;  // what is free differs a little from run to run: what is named must fit the next

}  // namespace

Index largest_that_fits(Index samples, double usable, const std::function<double(Index)>& bytes_for) {
  Index fits = 0, too_many = samples;
  while (too_many - fits > 1) {
    const Index middle = fits + (too_many - fits) / 2;
    (bytes_for(middle) <= usable ? fits : too_many) = middle;
  }
  return fits;
}

void require_memory(const std::string& what, Index samples, const std::function<double(Index)>& bytes_for) {
  reserve_blas_buffers(1);
  const double needed = bytes_for(samples), there = static_cast<double>(available_memory());
  if (needed <= usable_share * there) return;
  const Index largest = largest_that_fits(samples, named_share * usable_share * there, bytes_for);
  throw Error(ErrorKind::resource,
              fmt::format("{} of {} samples needs {:.2f} GB ({:.0f} bytes) and {:.2f} GB are free; the most that fit "
                          "are {}: use samples={} or fewer",
                          what, samples, needed / 1e9, needed, there / 1e9, largest, largest));
}

}  // namespace priorfit::internal

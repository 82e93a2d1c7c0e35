#include "linalg/fits.hpp"

#include <fmt/format.h>

#include "linalg/threads.hpp"
#include "priorfit/error.hpp"
#include "support/memory.hpp"

namespace priorfit::internal {
namespace {

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

double free_for_matrices() {
  reserve_blas_buffers(1);
  return static_cast<double>(available_memory());
}

void require_memory(const std::string& what, Index samples, const std::function<double(Index)>& bytes_for,
                    const char* argument, double free) {
  const double needed = bytes_for(samples);
  if (needed <= usable_share * free) return;
  const Index largest = largest_that_fits(samples, named_share * usable_share * free, bytes_for);
  throw Error(ErrorKind::resource,
              fmt::format("{} of {} samples needs {:.2f} GB ({:.0f} bytes) and {:.2f} GB are free; the most that fit "
                          "are {}: use {}={} or fewer",
                          what, samples, needed / 1e9, needed, free / 1e9, largest, argument, largest));
}

}  // namespace priorfit::internal

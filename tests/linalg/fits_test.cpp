#include "linalg/fits.hpp"

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

TEST(Fits, NamesTheLargestSampleWhoseBytesFit) {
  const auto squares = [](Index n) { return 8.0 * static_cast<double>(n * n); };
  EXPECT_EQ(largest_that_fits(1000, 8.0 * 400 * 400, squares), 400);
  EXPECT_EQ(largest_that_fits(1000, 8.0 * 400 * 400 - 1, squares), 399);
  EXPECT_EQ(largest_that_fits(1000, 0.0, squares), 0);
  require_memory("the kernel", 10, squares);
  test::expect_error(
      ErrorKind::resource, [&] { require_memory("the kernel", 100'000'000, squares); },
      "the kernel of 100000000 samples needs 80000000.00 GB (80000000000000000 bytes)", "use samples=");
}

}  // namespace
}  // namespace priorfit

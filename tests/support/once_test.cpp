#include "support/once.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace priorfit {
using namespace internal;
namespace {

TEST(Once, WorksOnceForAllThreads) {
  Once once;
  int times = 0, seen = 0;
  const auto work = [&] {
    once.call([&] { ++times; });
    return times;  // what the first call wrote is visible
  };
  std::thread other([&] { seen = work(); });
  EXPECT_EQ(work(), 1);
  other.join();
  EXPECT_EQ(seen, 1);
}

TEST(Once, TriesAgainAfterAnException) {
  Once once;
  EXPECT_THROW(once.call([] { throw std::runtime_error("not yet"); }), std::runtime_error);
  int times = 0;
  once.call([&] { ++times; });
  once.call([&] { ++times; });
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace priorfit

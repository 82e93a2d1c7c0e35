#include "support/free_cores.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

//                        core user nice system idle iowait irq softirq steal guest guest_nice
const char* const before =
    "cpu  9 9 9 9 9 9 9 9 0 0\n"
    "cpu0 100 50 10 1000 5 1 2 3 0 0\n"
    "cpu1 200 60 20 2000 5 0 0 0 0 0\n"
    "cpu2 300 70 30 3000 5 0 0 0 0 0\n"
    "intr 1 2 3\n";
const char* const after =
    "cpu  9 9 9 9 9 9 9 9 0 0\n"
    "cpu0 104 50 11 1000 5 1 2 3 0 0\n"  // 5 ticks busy
    "cpu1 200 65 20 2000 5 0 0 0 0 0\n"  // 5 ticks for nice processes, which give way
    "cpu2 300 70 30 3004 6 0 0 0 0 0\n"  // idle
    "intr 1 2 3\n";

double busy_of(const std::vector<int>& cores, double own = 0.0) {
  const test::Scratch scratch;
  const std::string first = scratch.file("before", before), second = scratch.file("after", after);
  return busy_cores(core_times(first, cores), core_times(second, cores), own, static_cast<int>(cores.size()));
}

TEST(FreeCores, AreThoseThatOthersLeave) {
  EXPECT_DOUBLE_EQ(busy_of({0, 1, 2}), 1.0);
  EXPECT_DOUBLE_EQ(busy_of({0}), 1.0);
  EXPECT_DOUBLE_EQ(busy_of({1, 2}), 0.0);
  EXPECT_DOUBLE_EQ(busy_of({0, 1, 2}, 5.0), 0.0);  // what this process took itself
}

TEST(FreeCores, AreAllWhereTheSystemDoesNotTell) {
  EXPECT_DOUBLE_EQ(busy_cores({}, {}, 1.0, 4), 0.0);
  EXPECT_EQ(core_times("/no/such/file", {0}).all, 0u);
}

TEST(ThreadChoice, FollowsLoadQuotaAndAffinity) {
  EXPECT_EQ(choose_threads(2, no_quota, 0.2).threads, 2);
  EXPECT_EQ(choose_threads(2, no_quota, 1.0).threads, 1);
  EXPECT_EQ(choose_threads(2, no_quota, 2.0).threads, 1);
  EXPECT_EQ(choose_threads(8, no_quota, 2.9).threads, 5);
  EXPECT_EQ(choose_threads(64, 1.0, 0.0).threads, 1);
  EXPECT_EQ(choose_threads(64, 2.5, 0.0).threads, 2);
  EXPECT_EQ(choose_threads(64, 0.5, 0.0).threads, 1);
  EXPECT_EQ(choose_threads(8, 6.0, 4.0).threads, 4);
  EXPECT_EQ(choose_threads(1, no_quota, 1.0).threads, 1);
}

TEST(ThreadChoice, SaysWhy) {
  EXPECT_EQ(choose_threads(2, no_quota, 0.0).text("--threads"), "threads: 2 (--threads 2 repeats every digit)");
  EXPECT_EQ(choose_threads(2, no_quota, 1.1).text("--threads"),
            "threads: 1, as of 2 cores 1 is busy with others (--threads 1 repeats every digit)");
  EXPECT_EQ(choose_threads(8, no_quota, 3).reason, "of 8 cores 3 are busy with others");
  EXPECT_EQ(choose_threads(8, 1.5, 0.0).reason, "a quota grants 1.5 of 8 cores");
  EXPECT_FALSE(choose_threads(8, 1.0, 0.0).by_load);
  EXPECT_TRUE(choose_threads(8, no_quota, 0.0).by_load);
}

// A test machine may take the processor away at any moment: once in five times it does not.
TEST(ThreadChoice, WaitsNoLongerThanWhatItWatches) {
  using Clock = std::chrono::steady_clock;
  constexpr auto watched = std::chrono::milliseconds(50), answer_holds = std::chrono::milliseconds(1050);
  Clock::duration least = Clock::duration::max();
  for (int i = 0; i < 5 && least > watched / 2; ++i) {
    if (i > 0) std::this_thread::sleep_for(answer_holds);
    watch_cores();
    const auto begun = Clock::now();
    while (Clock::now() - begun < watched + watched / 5) {  // work of this process, which is no neighbour's
    }
    const auto asked = Clock::now();
    EXPECT_GE(choose_threads().threads, 1);
    least = std::min(least, Clock::now() - asked);
  }
  EXPECT_LT(least, watched / 2);
}

TEST(ThreadChoice, OfThisProcessIsAtLeastOneThread) { EXPECT_GE(choose_threads().threads, 1); }

}  // namespace
}  // namespace priorfit

#include <gtest/gtest.h>

#include "distributed/block_matrix.hpp"
#include "distributed/scalapack.hpp"

namespace priorfit::internal {
namespace {

TEST(Layout, IsAsSquareAsCanBeAndWide) {
  const auto shape = [](int processes) {
    const GridShape s = usual_shape(processes);
    return std::pair(s.rows, s.columns);
  };
  EXPECT_EQ(shape(1), std::pair(1, 1));
  EXPECT_EQ(shape(2), std::pair(1, 2));
  EXPECT_EQ(shape(4), std::pair(2, 2));
  EXPECT_EQ(shape(6), std::pair(2, 3));
  EXPECT_EQ(shape(7), std::pair(1, 7));
  EXPECT_EQ(shape(12), std::pair(3, 4));
}

// Every index once, and as many as ScaLAPACK counts.
TEST(Layout, DealsOutEveryIndexOnce) {
  for (const int size : {1, 7, 64, 129, 1000}) {
    for (const int block : {1, 8, 13}) {
      for (const int processes : {1, 2, 3, 4}) {
        std::vector<int> seen(static_cast<std::size_t>(size), 0);
        for (int own = 0; own < processes; ++own) {
          Index local = 0;
          for (const LocalRun& run : local_runs(size, block, own, processes)) {
            EXPECT_EQ(run.local, local);
            EXPECT_EQ(run.first / block % processes, own);
            for (Index i = 0; i < run.count; ++i) ++seen[static_cast<std::size_t>(run.first + i)];
            local += run.count;
          }
          const int zero = 0;
          EXPECT_EQ(local, numroc_(&size, &block, &own, &zero, &processes));
          EXPECT_EQ(local_size(size, block, own, processes), local);
        }
        EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(size), 1));
      }
    }
  }
}

TEST(Layout, OfCoresIsByThoseThatMayUseThem) {
  const auto share = [](const std::vector<std::vector<int>>& affinities, std::size_t own) {
    std::vector<cpu_set_t> sets(affinities.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      CPU_ZERO(&sets[i]);
      for (const int core : affinities[i]) CPU_SET(core, &sets[i]);
    }
    return share_of_cores(sets, own);
  };
  EXPECT_DOUBLE_EQ(share({{0, 1, 2, 3}, {0, 1, 2, 3}}, 1), 2.0);  // of a machine that may have more cores
  EXPECT_DOUBLE_EQ(share({{0, 1}, {2, 3}}, 0), 2.0);              // bound to cores of their own
  EXPECT_DOUBLE_EQ(share({{0}, {0}, {0}, {0}}, 2), 0.25);
  EXPECT_DOUBLE_EQ(share({{0, 1, 2}, {2, 3}}, 0), 2.5);
}

TEST(Layout, OfTheWorldIsRefusedWhereItDoesNotFit) {
  EXPECT_ANY_THROW(World(GridShape{3, 2}));
  const World tall(GridShape{4, 1});
  EXPECT_EQ(tall.row(), tall.rank());
}

}  // namespace
}  // namespace priorfit::internal

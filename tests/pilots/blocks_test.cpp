#include "pilots/blocks.hpp"

#include <gmock/gmock.h>

#include <set>

namespace priorfit::internal {
namespace {

Samples rows(Index count, Index copies) {
  Samples samples;
  samples.inputs.resize(count * copies, 2);
  for (Index i = 0; i < count * copies; ++i) {
    samples.inputs.row(i) << static_cast<double>(i % count), 1.0;
    samples.labels.push_back(static_cast<int>(i % count % 2));
  }
  samples.targets = Matrix::Zero(count * copies, 2);
  return samples;
}

TEST(Blocks, DealEveryRowOnce) {
  const auto blocks = deal_rows(rows(100, 1), 12, 1);
  std::set<Index> seen;
  for (const Block& block : blocks) {
    EXPECT_GE(block.size(), 8u);
    EXPECT_LE(block.size(), 9u);
    seen.insert(block.begin(), block.end());
  }
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_NE(deal_rows(rows(100, 1), 12, 2), blocks);
  EXPECT_EQ(deal_rows(rows(100, 1), 12, 1), blocks);
}

TEST(Blocks, SpreadClassesEvenly) {
  const Samples samples = rows(96, 1);
  for (const Block& block : deal_rows(samples, 12, 3)) {
    const auto ones = std::count_if(block.begin(), block.end(),
                                    [&](Index row) { return samples.labels[static_cast<std::size_t>(row)] == 1; });
    EXPECT_EQ(ones, 4);
  }
}

TEST(Blocks, KeepTwinsTogether) {
  const Samples samples = rows(40, 3);
  EXPECT_EQ(identical_rows(samples.inputs).size(), 40u);
  for (const Block& block : deal_rows(samples, 12, 1)) {
    for (const Index row : block) {
      for (Index twin = row % 40; twin < 120; twin += 40) EXPECT_THAT(block, testing::Contains(twin));
    }
  }
}

TEST(Blocks, AllButLeavesOut) {
  const std::vector<Block> blocks = {{0, 3}, {1, 4}, {2, 5}};
  EXPECT_EQ(all_but(blocks, 1, 2), (Block{0, 2, 3, 5}));
  EXPECT_EQ(all_but(blocks, 0, 2), (Block{2, 5}));
}

}  // namespace
}  // namespace priorfit::internal

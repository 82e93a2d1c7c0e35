#include "support/text_hash.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace priorfit::internal {
namespace {

// PYTHONHASHSEED=0 python3.11 -c 'for n in (1, 3, …): print(hex(hash(bytes(range(n))) & 0xffffffffffffffff))'
TEST(TextHash, IsSipHash) {
  const std::pair<std::size_t, std::uint64_t> known[] = {
      {1, 0x68a914128e01e473},  {3, 0x4d4c9a4a8ef6e0ad},  {7, 0x2f098ab0c751325a},
      {8, 0xead411e67ebe2eea},  {9, 0x75927f9d95124362},  {15, 0xf30eb725bb91c9ea},
      {16, 0x8972188433a5c5b7}, {17, 0x4883c49a2c009c1d}, {40, 0x95bc321ab41d8206},
  };
  for (const auto& [length, hash] : known) {
    std::string bytes(length, '\0');
    std::iota(bytes.begin(), bytes.end(), '\0');
    EXPECT_EQ(sip_hash(bytes, {}), hash) << length << " bytes";
  }
}

TEST(TextHash, DependsOnTheKey) {
  EXPECT_NE(sip_hash("weight", {1, 0}), sip_hash("weight", {0, 1}));
  EXPECT_NE(TextHash()("weight"), sip_hash("weight", {}));  // the process has drawn one
}

}  // namespace
}  // namespace priorfit::internal

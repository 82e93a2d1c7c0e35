#include "pilots/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "support/random.hpp"

namespace priorfit::internal {

std::vector<Block> identical_rows(const MatrixView& inputs) {
  std::vector<Index> order(static_cast<std::size_t>(inputs.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto compare = [&](Index a, Index b) {
    const double *x = inputs.row(a).data(), *y = inputs.row(b).data();
    const auto [at, bt] = std::mismatch(x, x + inputs.cols(), y);
    return at == x + inputs.cols() ? 0 : (*at < *bt ? -1 : 1);
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return compare(a, b) < 0; });
  std::vector<Block> groups;
  for (const Index row : order) {
    if (!groups.empty() && compare(groups.back().front(), row) == 0) {
      groups.back().push_back(row);
    } else {
      groups.push_back({row});
    }
  }
  std::sort(groups.begin(), groups.end(), [](const Block& a, const Block& b) { return a.front() < b.front(); });
  return groups;
}

std::vector<Block> deal_rows(const Samples& samples, Index blocks, std::uint64_t seed) {
  const std::vector<Block> groups = identical_rows(samples.inputs);
  const auto count = static_cast<std::int64_t>(groups.size());
  std::vector<std::int64_t> order = draw_without_replacement(count, count, RandomStream(seed, RandomUse::pilot_rows));
  if (!samples.labels.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      const auto label = [&](std::int64_t g) {
        return samples.labels[static_cast<std::size_t>(groups[static_cast<std::size_t>(g)].front())];
      };
      return label(a) < label(b);
    });
  }
  std::vector<Block> dealt(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Block& group = groups[static_cast<std::size_t>(order[i])];
    Block& block = dealt[i % dealt.size()];
    block.insert(block.end(), group.begin(), group.end());
  }
  for (Block& block : dealt) std::sort(block.begin(), block.end());
  return dealt;
}

Block all_but(const std::vector<Block>& blocks, std::size_t first, std::size_t last) {
  Block rows;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (b < first || b >= last) rows.insert(rows.end(), blocks[b].begin(), blocks[b].end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace priorfit::internal

#include "support/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace priorfit::internal {
namespace {

struct Block {
  std::uint64_t first, second;
};

Block philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const r123::Philox4x32 generator;
  const auto out = generator({{low(index), high(index), low(stream), high(stream)}}, {{low(seed), high(seed)}});
  const auto join = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{b} << 32 | a; };
  return {join(out[0], out[1]), join(out[2], out[3])};
}

double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

struct NormalPair {
  double first, second;
};

NormalPair box_muller(const Block& block) {
  const double radius = std::sqrt(-2.0 * std::log(to_unit(block.first)));
  const double angle = 2.0 * std::numbers::pi * to_unit(block.second);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <typename T>
void fill(std::span<T> values, std::uint64_t first, std::uint64_t seed, std::uint64_t stream) {
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t index = first + i;
    const NormalPair pair = box_muller(philox(seed, stream, index / 2));
    if (index % 2 == 0) {
      values[i++] = static_cast<T>(pair.first);
      if (i == values.size()) break;
    }
    values[i++] = static_cast<T>(pair.second);
  }
}

}  // namespace

std::uint64_t RandomStream::bits(std::uint64_t index) const { return philox(seed_, stream_, index).first; }

double RandomStream::uniform(std::uint64_t index) const { return to_unit(bits(index)); }

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t index) const {
  // Multiply-shift: the bias is below bound / 2^64, far under what any sample can show.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * bound) >> 64);
}

void RandomStream::fill_normal(std::span<double> values, std::uint64_t first) const {
  fill(values, first, seed_, stream_);
}

void RandomStream::fill_normal(std::span<float> values, std::uint64_t first) const {
  fill(values, first, seed_, stream_);
}

std::vector<std::int64_t> draw_without_replacement(std::int64_t population, std::int64_t count,
                                                   const RandomStream& stream) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(population));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(population - i);
    const auto chosen = i + static_cast<std::int64_t>(stream.below(left, static_cast<std::uint64_t>(i)));
    std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(chosen)]);
  }
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

}  // namespace priorfit::internal

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace priorfit {
using namespace internal;
namespace {

struct KnownAnswer {
  std::uint64_t index, stream, seed;  // counter words 0-1, 2-3 and the key
  std::uint64_t first, second;        // output words 0-1 and 2-3
};

// kat_vectors of Random123 1.14, "philox4x32 10", words joined low first.
constexpr KnownAnswer known_answers[] = {
    {0, 0, 0, 0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0x41c83b0e408f276d, 0x6d5451fda20bc7c6},
    {0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822, 0x94fdccebd16cfe09, 0x24126ea15001e420},
};

RandomStream stream_of(const KnownAnswer& known) {
  return RandomStream(known.seed, static_cast<RandomUse>(0), known.stream);
}

TEST(RandomStream, MatchesThePublishedPhiloxVectors) {
  for (const KnownAnswer& known : known_answers) {
    EXPECT_EQ(stream_of(known).bits(known.index), known.first);
  }
}

TEST(RandomStream, NormalsAreBoxMullerOfThePublishedVectors) {
  const KnownAnswer& known = known_answers[0];
  const auto unit = [](std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) / 9007199254740992.0; };
  const double radius = std::sqrt(-2.0 * std::log(unit(known.first)));
  const double angle = 2.0 * std::numbers::pi * unit(known.second);
  double pair[2];
  stream_of(known).fill_normal(std::span<double>(pair), 2 * known.index);
  EXPECT_DOUBLE_EQ(pair[0], radius * std::cos(angle));
  EXPECT_DOUBLE_EQ(pair[1], radius * std::sin(angle));
}

TEST(RandomStream, NormalMomentsAreStandard) {
  constexpr int count = 400'000;
  std::vector<double> values(count);
  RandomStream(7, RandomUse::simulation).fill_normal(std::span<double>(values));
  double sums[5] = {};
  double neighbours = 0;
  for (int i = 0; i < count; ++i) {
    for (int power = 1; power <= 4; ++power) sums[power] += std::pow(values[i], power) / count;
    if (i > 0) neighbours += values[i] * values[i - 1] / count;
  }
  // Five standard errors of each moment.
  const double error = 5.0 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(sums[1], 0.0, error);
  EXPECT_NEAR(sums[2], 1.0, error * std::sqrt(2.0));
  EXPECT_NEAR(sums[3], 0.0, error * std::sqrt(15.0));
  EXPECT_NEAR(sums[4], 3.0, error * std::sqrt(96.0));
  EXPECT_NEAR(neighbours, 0.0, error);
}

RC_GTEST_PROP(RandomStream, NormalsDoNotDependOnHowTheyAreChunked, (std::uint64_t seed)) {
  constexpr std::size_t count = 64;
  const RandomStream stream(seed, RandomUse::layer_weights, 3);
  std::vector<double> whole(count), pieces(count);
  std::vector<float> floats(count);
  stream.fill_normal(std::span<double>(whole));
  for (std::size_t first = 0; first < count;) {
    const auto size = *rc::gen::inRange<std::size_t>(1, count - first + 1);
    stream.fill_normal(std::span(pieces).subspan(first, size), first);
    stream.fill_normal(std::span(floats).subspan(first, size), first);
    first += size;
  }
  RC_ASSERT(pieces == whole);
  for (std::size_t i = 0; i < count; ++i) RC_ASSERT(floats[i] == static_cast<float>(whole[i]));
}

TEST(RandomStream, UsesOfOneSeedDiffer) {
  std::set<std::uint64_t> seen;
  for (const RandomUse use : {RandomUse::rows, RandomUse::test_rows, RandomUse::simulation, RandomUse::layer_weights,
                              RandomUse::layer_biases, RandomUse::shuffle}) {
    seen.insert(RandomStream(1, use).bits(0));
  }
  // Layers and epochs are told apart by their offset.
  for (const RandomUse use : {RandomUse::layer_weights, RandomUse::layer_biases, RandomUse::shuffle}) {
    seen.insert(RandomStream(1, use, 1).bits(0));
  }
  EXPECT_EQ(seen.size(), 9U);
}

RC_GTEST_PROP(RandomStream, BelowStaysBelow, (std::uint64_t seed, std::uint64_t index)) {
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const RandomStream stream(seed, RandomUse::rows);
  RC_ASSERT(stream.below(bound, index) < bound);
  RC_ASSERT(stream.uniform(index) > 0.0);
  RC_ASSERT(stream.uniform(index) < 1.0);
}

RC_GTEST_PROP(DrawWithoutReplacement, IsDistinctInRangeAndNested, (std::uint64_t seed)) {
  const auto population = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto count = *rc::gen::inRange<std::int64_t>(0, population + 1);
  const auto shorter = *rc::gen::inRange<std::int64_t>(0, count + 1);
  const RandomStream stream(seed, RandomUse::rows);
  const auto rows = draw_without_replacement(population, count, stream);
  RC_ASSERT(static_cast<std::int64_t>(rows.size()) == count);
  const std::set<std::int64_t> distinct(rows.begin(), rows.end());
  RC_ASSERT(distinct.size() == rows.size());
  for (const std::int64_t row : rows) RC_ASSERT(row >= 0 && row < population);
  const auto first = draw_without_replacement(population, shorter, stream);
  RC_ASSERT(std::equal(first.begin(), first.end(), rows.begin()));
}

TEST(DrawWithoutReplacement, GivesEveryRowTheSameChance) {
  constexpr int population = 10, count = 3, draws = 20'000;
  std::vector<int> times(population);
  for (int seed = 0; seed < draws; ++seed) {
    for (const auto row : draw_without_replacement(population, count, RandomStream(seed, RandomUse::rows)))
      ++times[row];
  }
  const double expected = draws * double(count) / population;
  for (const int t : times) EXPECT_NEAR(t, expected, 5 * std::sqrt(expected));
}

}  // namespace
}  // namespace priorfit

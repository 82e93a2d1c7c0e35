// Counter-based random numbers (Philox4x32-10 of Random123): the i-th draw of a stream depends on (seed, stream, i)
// alone, never on thread count, order or on what else was drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace priorfit::internal {

/// Streams keep the uses of one seed apart. Layer l draws weights from layer_weights + l and biases from
/// layer_biases + l; epoch e shuffles by shuffle + e.
enum class RandomUse : std::uint64_t {
  rows = 1,
  test_rows = 2,
  simulation = 4,
  validation_rows = 5,
  pilot_rows = 6,
  layer_weights = 1'000'000,
  layer_biases = 2'000'000,
  shuffle = 3'000'000,
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomUse use, std::uint64_t offset = 0)
      : seed_(seed), stream_(static_cast<std::uint64_t>(use) + offset) {}

  std::uint64_t bits(std::uint64_t index) const;
  double uniform(std::uint64_t index) const;                            // in (0, 1)
  std::uint64_t below(std::uint64_t bound, std::uint64_t index) const;  // in [0, bound)

  /// values[i] = the (first + i)-th standard normal of the stream.
  void fill_normal(std::span<double> values, std::uint64_t first = 0) const;
  void fill_normal(std::span<float> values, std::uint64_t first = 0) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// `count` distinct numbers below `population`, in random order; a longer draw of the same stream begins with a
/// shorter one.
std::vector<std::int64_t> draw_without_replacement(std::int64_t population, std::int64_t count,
                                                   const RandomStream& stream);

}  // namespace priorfit::internal

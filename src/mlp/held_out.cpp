#include "mlp/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mlp/measure.hpp"
#include "priorfit/error.hpp"
#include "support/random.hpp"

namespace priorfit::internal {
namespace {

Index share(Index count, double fraction) {
  return std::min(count - 1, static_cast<Index>(std::lround(fraction * static_cast<double>(count))));
}

}  // namespace

HeldOut hold_out(std::span<const std::int64_t> rows, const std::vector<int>& labels, double fraction,
                 std::uint64_t seed) {
  if (fraction == 0) return {{rows.begin(), rows.end()}, {}};
  const auto class_of = [&](std::int64_t row) { return labels.empty() ? 0 : labels[static_cast<std::size_t>(row)]; };
  std::map<int, Index> wanted;  // per class, how many are still to be held out
  for (const std::int64_t row : rows) ++wanted[class_of(row)];
  for (auto& [label, count] : wanted) {
    if (count == 1 && !labels.empty()) {
      throw Error(ErrorKind::data, fmt::format("class {} has one training row, which cannot both train and validate: "
                                               "give it more rows, drop it, or set validation_fraction to 0",
                                               label));
    }
    count = share(count, fraction);
  }
  HeldOut result;
  const auto count = static_cast<Index>(rows.size());
  for (const std::int64_t i : draw_without_replacement(count, count, RandomStream(seed, RandomUse::validation_rows))) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    Index& left = wanted[class_of(row)];
    (left > 0 ? result.validation : result.training).push_back(row);
    left = std::max<Index>(0, left - 1);
  }
  if (result.validation.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("validation_fraction is {}: of {} rows that holds out none; choose a larger "
                            "share, or 0 to train without validation",
                            fraction, rows.size()));
  }
  std::sort(result.training.begin(), result.training.end());
  std::sort(result.validation.begin(), result.validation.end());
  return result;
}

}  // namespace priorfit::internal

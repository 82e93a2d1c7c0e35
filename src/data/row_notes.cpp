#include "data/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "data/distinct.hpp"
#include "support/text.hpp"

namespace priorfit::internal {
namespace {

constexpr double imbalance = 0.1;  // the smallest class to the largest: below that it is said
constexpr std::size_t most_named = 5;

// A hash whose every bit depends on every bit of the numbers (splitmix64 between them).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) + 0x9E3779B97F4A7C15ULL;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
  return hash ^ (hash >> 31);
}

}  // namespace

Index duplicated_rows(const Samples& samples) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(samples.size()));
#pragma omp parallel for schedule(static)
  for (Index r = 0; r < samples.size(); ++r) {
    std::uint64_t hash = 0;
    for (Index c = 0; c < samples.inputs.cols(); ++c)
      hash = mixed(hash, std::bit_cast<std::uint64_t>(samples.inputs(r, c)));
    if (!samples.labels.empty())
      hash = mixed(hash, static_cast<std::uint64_t>(samples.labels[static_cast<std::size_t>(r)]));
    for (Index c = 0; c < samples.targets.cols(); ++c) {
      hash = mixed(hash, std::bit_cast<std::uint64_t>(samples.targets(r, c)));
    }
    hashes[static_cast<std::size_t>(r)] = hash;
  }
  BitsSet seen(samples.size());
  Index again = 0;
  for (const std::uint64_t hash : hashes) {
    if (!seen.add(hash >> 1)) ++again;
  }
  return again;
}

void note_rows(Dataset& dataset) {
  if (const Index again = duplicated_rows(dataset.train); again > 0) {
    dataset.notes.push_back(
        fmt::format("{} of {} rows {} an earlier one; where rows are held out, copies may be on both "
                    "sides",
                    again, dataset.train.size(), again == 1 ? "repeats" : "repeat"));
  }
  if (dataset.task != Task::classification || dataset.output_names.empty()) return;
  std::vector<Index> counts(dataset.output_names.size(), 0);
  for (const int label : dataset.train.labels) ++counts[static_cast<std::size_t>(label)];
  std::vector<std::string> single;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 1) single.push_back("'" + dataset.output_names[c] + "'");
  }
  if (!single.empty()) {
    const std::size_t count = single.size();
    if (count > most_named) single.resize(most_named);
    dataset.notes.push_back(fmt::format("{} {} a single row: {}{}", count, count == 1 ? "class has" : "classes have",
                                        join(single), count > most_named ? ", ..." : ""));
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*least > 0 && static_cast<double>(*least) < imbalance * static_cast<double>(*most)) {
    const auto share = [&](Index count) {
      return 100.0 * static_cast<double>(count) / static_cast<double>(dataset.train.size());
    };
    dataset.notes.push_back(fmt::format(
        "classes are unequal: '{}' has {} row{} ({:.1f} %), '{}' {} ({:.1f} %); look at the balanced accuracy",
        dataset.output_names[static_cast<std::size_t>(least - counts.begin())], *least, *least == 1 ? "" : "s",
        share(*least), dataset.output_names[static_cast<std::size_t>(most - counts.begin())], *most, share(*most)));
  }
}

}  // namespace priorfit::internal

// The recommendation.json that `priorfit recommend` writes, read back by what acts on it.
//
//     StoredRecommendation stored = read_recommendation("out/recommendation.json");
//     Mlp network = initialise(stored.network(/*width=*/2000), stored.features, stored.outputs, stored.start,
//     /*seed=*/1);
#pragma once

#include <filesystem>
#include <optional>

#include "priorfit/initialisation.hpp"

namespace priorfit {

struct StoredRecommendation {
  Initialisation start;                       // depth + 1 layers
  std::optional<double> noise_variance = {};  // where the evidence was computed
  Index depth = 1;
  Activation activation;
  Index features = 0;
  Index outputs = 0;

  NetworkSpec network(Index width) const { return NetworkSpec::uniform(depth, width, activation); }
};

/// Throws Error(io) when the file cannot be read, Error(data) naming the field when it is not what `recommend` writes.
StoredRecommendation read_recommendation(const std::filesystem::path& path);

}  // namespace priorfit

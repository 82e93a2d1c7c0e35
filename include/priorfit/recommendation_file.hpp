// The recommendation.json that `priorfit recommend` writes, read back by what acts on it.
//
//     StoredRecommendation stored = read_recommendation("out/recommendation.json");
//     Mlp network = initialise(stored.network(/*width=*/2000), stored.features, stored.outputs, stored.prior,
//     /*seed=*/1);
#pragma once

#include <filesystem>

#include "priorfit/network.hpp"

namespace priorfit {

struct StoredRecommendation {
  LayerPrior prior;
  double noise_variance = 0.0;
  Index depth = 1;
  Activation activation;
  Index features = 0;
  Index outputs = 0;

  NetworkSpec network(Index width) const { return NetworkSpec::uniform(depth, width, activation); }
};

/// Throws Error(io) when the file cannot be read, Error(data) naming the field when it is not what `recommend` writes.
StoredRecommendation read_recommendation(const std::filesystem::path& path);

}  // namespace priorfit

// Small random data for the tests of training.
#pragma once

#include "priorfit/dataset.hpp"
#include "support/random.hpp"

namespace priorfit::test {

/// Standard normal inputs of which a share of about `density` is kept and the rest is zero; targets are a smooth
/// function of the inputs.
inline Samples random_regression(Index rows, Index features, Index outputs, double density, std::uint64_t seed) {
  const internal::RandomStream normals(seed, internal::RandomUse::rows), keep(seed, internal::RandomUse::test_rows);
  Samples samples;
  samples.inputs.resize(rows, features);
  normals.fill_normal(std::span(samples.inputs.data(), static_cast<std::size_t>(samples.inputs.size())));
  for (Index i = 0; i < samples.inputs.size(); ++i) {
    if (keep.uniform(static_cast<std::uint64_t>(i)) >= density) samples.inputs.data()[i] = 0.0;
  }
  samples.targets.resize(rows, outputs);
  for (Index r = 0; r < rows; ++r) {
    for (Index k = 0; k < outputs; ++k) {
      samples.targets(r, k) =
          std::sin(static_cast<double>(k + 1) * samples.inputs.row(r).mean()) + 0.3 * samples.inputs(r, k % features);
    }
  }
  return samples;
}

/// Classes by the sign pattern of a few features, encoded as in M6.
inline Samples random_classes(Index rows, Index features, Index classes, double density, std::uint64_t seed) {
  Samples samples = random_regression(rows, features, classes, density, seed);
  samples.targets.setConstant(-1.0 / static_cast<double>(classes));
  for (Index r = 0; r < rows; ++r) {
    Index label = 0;
    samples.inputs.row(r).head(std::min(classes, features)).maxCoeff(&label);
    samples.labels.push_back(static_cast<int>(label));
    samples.targets(r, label) += 1.0;
  }
  return samples;
}

}  // namespace priorfit::test

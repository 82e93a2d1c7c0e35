// Data sets drawn for the tests of recommend.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>

#include "priorfit/dataset.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/recommend.hpp"
#include "support/random.hpp"

namespace priorfit::drawn {

inline Matrix normal(Index rows, Index columns, std::uint64_t seed) {
  Matrix out(rows, columns);
  internal::RandomStream(seed, internal::RandomUse::simulation).fill_normal(std::span<double>(out.data(), out.size()));
  return out;
}

inline PreparedData data(Matrix inputs, Matrix targets) {
  PreparedData data;
  data.name = "drawn";
  data.rows = inputs.rows();
  data.train.inputs = std::move(inputs);
  data.train.targets = std::move(targets);
  return data;
}

/// Targets from the prior itself: N(0, K + noise I) for each output.
inline PreparedData from_prior(const NetworkSpec& network, const LayerPrior& prior, double noise, Index samples,
                               Index features, Index outputs, std::uint64_t seed) {
  Matrix inputs = normal(samples, features, 2 * seed);
  const Eigen::MatrixXd a = covariance(network, prior, inputs) + noise * Matrix::Identity(samples, samples);
  const Eigen::MatrixXd white = normal(samples, outputs, 2 * seed + 1);
  Matrix targets = a.llt().matrixL() * white;
  return data(std::move(inputs), std::move(targets));
}

}  // namespace priorfit::drawn

// Engines as the tests of training make them, and their gradients beside finite differences.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "mlp/engine.hpp"
#include "support/random.hpp"

namespace priorfit::test {

using internal::Batch;
using internal::Engine;
using internal::InputRows;
using internal::LossRule;
using internal::Parameters;

template <typename T>
Batch<T> whole_batch(const InputRows<T>& rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.size()));
  std::iota(all.begin(), all.end(), 0);
  Batch<T> batch;
  rows.gather(all, true, batch);
  return batch;
}

template <typename T>
Engine<T> make_engine(const Mlp& network, Index rows, bool sparse, int threads = 2, const LossRule& loss = {},
                      const OptimizerOptions& optimizer = {}) {
  return Engine<T>(network, {.max_rows = rows,
                             .training = true,
                             .sparse_inputs = sparse,
                             .threads = threads,
                             .loss = loss,
                             .optimizer = optimizer});
}

inline constexpr double rate = 1e-3;

inline double mean_loss(Engine<double>& engine, const Batch<double>& batch) {
  engine.forward(batch);
  return engine.loss(batch).sum / static_cast<double>(batch.rows);
}

inline double difference_quotient(Engine<double>& engine, const Batch<double>& batch, double& parameter, double h) {
  const double value = parameter;
  parameter = value + h;
  const double above = mean_loss(engine, batch);
  parameter = value - h;
  const double below = mean_loss(engine, batch);
  parameter = value;
  return (above - below) / (2 * h);
}

inline void expect_gradients(Engine<double>& engine, const Batch<double>& batch, Parameters<double>& parameters,
                             const Parameters<double>& after, const OptimizerOptions& adam, const std::string& where) {
  const internal::RandomStream choice(11, internal::RandomUse::simulation);
  const auto size = parameters.values.size();
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(size, 25); ++k) {
    const std::uint64_t i = size <= 25 ? k : choice.below(size, k);
    // From zero moments one step leaves (1 - β1) times the gradient in the first moment.
    const double gradient = after.first_moments[i] / (1.0 - adam.beta1);
    // Where a unit's kink lies within one step, a smaller step is on the same side of it.
    const double coarse = difference_quotient(engine, batch, parameters.values[i], 1e-6);
    const double fine = difference_quotient(engine, batch, parameters.values[i], 1e-7);
    const double error = std::min(std::abs(gradient - coarse), std::abs(gradient - fine));
    EXPECT_LT(error, 1e-8 + 1e-5 * std::abs(gradient)) << where << " parameter " << i << ": " << gradient;
  }
}

inline bool same_bytes(const Mlp& a, const Mlp& b) {
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    const auto bytes = static_cast<std::size_t>(a.layers[l].weights.size()) * sizeof(float);
    if (std::memcmp(a.layers[l].weights.data(), b.layers[l].weights.data(), bytes) != 0) return false;
    if (a.layers[l].bias != b.layers[l].bias) return false;
  }
  return true;
}

}  // namespace priorfit::test

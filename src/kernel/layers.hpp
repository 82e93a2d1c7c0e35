// What the layers of the recursion M1 have of their own: variances of weights and biases, and of each input.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/activation_tables.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit::internal {

/// σ_w² and σ_b² of each layer as the passes read them, the first hidden layer's first: depth + 1 of each.
struct LayerPriors {
  LayerPriors(const std::vector<LayerPrior>& layers);
  LayerPriors(const NetworkSpec& network, const LayerPrior& prior) : LayerPriors(layer_priors(prior, network)) {}

  std::vector<double> weights;
  std::vector<double> biases;

  bool operator==(const LayerPriors&) const = default;
};

/// E[φ(u)²] for u ~ N(0, q), the dual at φ = 0 by a formula or table of its own, and its derivative in q.
class DiagonalDual {
 public:
  explicit DiagonalDual(const Activation& activation);
  Dual operator()(double q) const;
  /// E[φ′(u)²], the derivative of the dual in c at φ = 0.
  double squared_slope(double q) const;

 private:
  Activation activation_;
  std::shared_ptr<const ActivationTables> tables_;  // null where there is a closed form
};

/// A variance that left the range where products of two are normal doubles.
struct VarianceFailure {
  Index layer;  // 1 is the first hidden layer, whose input failed; depth + 1 the output
  Index input;
  double variance;

  /// "the variance explodes at layer 31: 1.2e+151 is too large for double precision"
  std::string text() const;
};

/// K_l(x, x) of a set of inputs for l = 0 … depth: what each layer of the recursion needs besides the covariance.
class LayerVariances {
 public:
  /// squared_norms: ‖x‖² of each input
  LayerVariances(const NetworkSpec& network, const LayerPriors& priors, Index features, const Vector& squared_norms);
  LayerVariances(const NetworkSpec& network, const LayerPrior& prior, Index features, const Vector& squared_norms)
      : LayerVariances(network, LayerPriors(network, prior), features, squared_norms) {}

  Index depth() const { return layers_.rows() - 1; }
  Index size() const { return layers_.cols(); }
  const double* layer(Index l) const { return layers_.row(l).data(); }
  double at(Index l, Index i) const { return layers_(l, i); }
  double output(Index i) const { return layers_(depth(), i); }
  /// The first layer where a variance exploded, or vanished though its input is not 0; what follows it means nothing.
  const std::optional<VarianceFailure>& failure() const { return failure_; }
  /// Throws Error(numerical) if there was a failure.
  void require_success() const;

  /// Where layer l < depth() lies in the tables of a tabulated activation.
  const TableRows& table_rows(Index l) const { return table_rows_[static_cast<std::size_t>(l)]; }
  std::span<const double> span(Index l) const { return {layer(l), static_cast<std::size_t>(size())}; }

 private:
  Matrix layers_;  // (depth + 1) × inputs
  std::vector<TableRows> table_rows_;
  std::optional<VarianceFailure> failure_;
};

}  // namespace priorfit::internal

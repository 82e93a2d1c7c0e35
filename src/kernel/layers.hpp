// The covariance recursion M1 as one pass over Gram entries: x·y -> K_L(x, y), all layers while the entry is in a
// register.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/activation_tables.hpp"
#include "kernel/dual_pass.hpp"
#include "kernel/table_pass.hpp"
#include "linalg/packed.hpp"
#include "priorfit/kernel.hpp"

namespace priorfit {

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

/// The pass itself, for one network, prior and input dimension. Cheap to make.
class CovariancePass {
 public:
  CovariancePass(const NetworkSpec& network, const LayerPriors& priors, Index features);
  CovariancePass(const NetworkSpec& network, const LayerPrior& prior, Index features)
      : CovariancePass(network, LayerPriors(network, prior), features) {}

  /// Makes what run() would otherwise make one thread at a time; call outside of parallel regions.
  void prepare(const LayerVariances& rows, const LayerVariances& columns) const;

  /// covariances[k] = K_L between row input first_row + k and column input `column`, from gram[k] = x·y.
  /// `gram` and `covariances` may be the same array.
  void run(const double* gram, double* covariances, Index length, const LayerVariances& rows, Index first_row,
           const LayerVariances& columns, Index column) const;

 private:
  void run_table(const double* gram, double* covariances, Index length, const LayerVariances& rows, Index first_row,
                 const LayerVariances& columns, Index column) const;

  Activation activation_;
  std::shared_ptr<const ActivationTables> tables_;  // null where there is a closed form
  Index depth_;
  LayerPriors priors_;
  double features_;
};

/// What every closed-form pass over rows from first_row on against `column` takes.
PassArguments pass_arguments(const Activation& activation, const LayerPriors& priors, double features,
                             const LayerVariances& rows, Index first_row, const LayerVariances& columns, Index column);

/// Layer l of a tabulated activation for rows from first_row on against `column`; the caller adds length and arrays.
TableArguments table_arguments(const FunctionTable& table, const LayerVariances& rows, Index first_row,
                               const LayerVariances& columns, Index column, Index l);

/// ‖x‖² of each row, from the diagonal of its Gram matrix, so that identical rows get identical values.
Vector gram_diagonal(const PackedSymmetric& gram);

/// covariance = K_L + ridge I from gram = X Xᵀ; the two may be the same matrix. The diagonal comes from LayerVariances.
void packed_covariance(const CovariancePass& pass, const LayerVariances& variances, double ridge,
                       const PackedSymmetric& gram, PackedSymmetric& covariance);

}  // namespace priorfit

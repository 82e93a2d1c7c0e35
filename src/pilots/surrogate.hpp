// What theory and pilots together say of every start: a small Gaussian process over the starts (M10).
#pragma once

#include <vector>

#include "priorfit/criterion.hpp"

namespace priorfit::internal {

/// A start in the coordinates in which errors vary smoothly: log σ_w² and log(σ_b² + 0.01) of the hidden layers,
/// geometric means, and log σ_w² of the output layer.
Eigen::Vector3d place_of(const Initialisation& start);

/// What the process assumes.
struct Smoothness {
  double amplitude = 0.05;  // variance of the deviation from the prior mean, in log error
  bool by_depth = false;    // log σ_w² counts √depth times: it acts in every layer
};

/// The log error of networks trained from each start. Prior: a mean, a free constant, and a smooth deviation from them.
/// An error counts at most as e times the least: a network that went wrong says no more than that it did.
class Surrogate {
 public:
  /// prior_mean: one per start; empty: theory says nothing
  Surrogate(const std::vector<Initialisation>& starts, const std::vector<double>& prior_mean,
            const Smoothness& smoothness = {});

  /// log_error: infinite for a network that diverged. variance: of this observation beside that of the process
  void observe(std::size_t start, double log_error, double variance);

  struct Belief {
    Vector mean, deviation;  // starts
  };
  /// Of log errors; `relative_to`: of differences to that start.
  Belief belief() const;
  Belief belief_relative_to(std::size_t start) const;

  /// The start to observe next: the least mean − deviation, each start once while some are left.
  std::size_t next() const;

 private:
  Eigen::MatrixXd posterior(Vector& mean) const;

  Vector prior_mean_;           // starts
  Eigen::MatrixXd covariance_;  // starts × starts
  std::vector<std::size_t> seen_;
  std::vector<double> values_, variances_;
};

}  // namespace priorfit::internal

// How a signal travels through many layers of an infinitely wide random network (mean field; M9).
//
//     SignalPropagation tanh = signal_propagation(Activation::parse("tanh"), {.weight_variance = 1.5, .bias_variance =
//     0.05}); tanh.phase;                                                                // ordered: inputs become
//     alike critical_point(Activation::parse("tanh"), 0.05)->weight_variance;          // 1.76095...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/network.hpp"

namespace priorfit {

enum class Phase {
  ordered,   // χ₁ < 1: inputs become alike, gradients vanish
  critical,  // χ₁ = 1 at a finite fixed point: both keep their size over many layers
  chaotic,   // χ₁ > 1, or a variance that grows without bound: gradients explode
};

std::string_view to_string(Phase phase);

struct SignalPropagation {
  double fixed_point = 0.0;  // q*: the variance deep layers settle at, from a start at 1; 0, finite or infinity
  double chi = 0.0;  // χ₁ = σ_w² E[φ′(u)²], u ~ N(0, q*): growth of a small difference, or of a gradient, a layer
  double depth_scale = 0.0;  // ξ = 1/|log χ₁|: layers over which that changes e-fold; infinity where χ₁ = 1
  Phase phase = Phase::ordered;

  /// The deepest network a signal crosses, 6 ξ (Schoenholz et al., 2017).
  double reach() const { return 6 * depth_scale; }
};

/// |χ₁ − 1| <= 1e-6 counts as critical.
SignalPropagation signal_propagation(const Activation& activation, const LayerPrior& prior);

struct CriticalPoint {
  double weight_variance;
  double fixed_point;
  bool reached;     // whether a signal of variance 1 settles there, and not at another fixed point or at infinity
  double turns_at;  // σ_w² at which the phase of such a signal changes; weight_variance where it is reached
};

/// The σ_w² at which χ₁ = 1 for this σ_b², at the smallest fixed point where there are several; none if there is no
/// such σ_w² with a finite fixed point.
std::optional<CriticalPoint> critical_point(const Activation& activation, double bias_variance);

struct PhaseOptions {
  Activation activation = {};
  Index depth = 20;                           // >= 1
  std::vector<double> weight_variances = {};  // empty: 0.25, 0.5 … 4
  std::vector<double> bias_variances = {};    // empty: 0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1

  void validate() const;
};

struct PhaseMap {
  PhaseOptions options;                                // with what was empty filled in
  std::vector<std::vector<SignalPropagation>> cells;   // bias variances × weight variances
  std::vector<std::optional<CriticalPoint>> critical;  // one per bias variance
  std::string command;

  bool survives(const SignalPropagation& cell) const { return static_cast<double>(options.depth) <= cell.reach(); }
};

PhaseMap phase_map(const PhaseOptions& options);

std::string to_table(const PhaseMap& map);
std::string to_json(const PhaseMap& map);
std::string to_csv(const PhaseMap& map);
std::string to_markdown(const PhaseMap& map);

}  // namespace priorfit

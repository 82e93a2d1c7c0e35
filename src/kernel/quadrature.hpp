// Integrals over a Gaussian, for functions that are smooth on either side of 0 and vary on a scale of about 1.
#pragma once

#include <vector>

namespace priorfit::internal {

struct QuadratureRule {
  std::vector<double> nodes;
  std::vector<double> weights;
};

/// Points of a wedge of the plane on which two unit normals u and v are linear and of fixed sign.
struct WedgeRule {
  std::vector<double> first;   // |u|
  std::vector<double> second;  // |v|
  std::vector<double> weights;
};

/// ∫ f(z) e^{−z²/2}/√(2π) dz over z > 0, for f that varies on the scale 1/deviation next to 0.
QuadratureRule half_gaussian_rule(double deviation);

/// Σ weight f(σ first) g(τ second) = E[f(σ|u|) g(τ|v|); this wedge], 0 < angle < π, for f and g that vary on the scale
/// 1 and σ, τ <= deviation. Where u and v have correlation cos φ, they have one sign in two wedges of π − φ and
/// opposite signs in two of φ. Kinks at 0 are the wedge's edges, so that the integrand is smooth inside; panels narrow
/// towards the edges and the origin as the deviation grows. complement: π − angle, to full relative accuracy.
WedgeRule wedge_rule(double angle, double complement, double deviation);

}  // namespace priorfit::internal

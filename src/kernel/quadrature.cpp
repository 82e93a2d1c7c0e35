#include "kernel/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace priorfit::internal {
namespace {

constexpr int most_points = 14;

/// Gauss–Legendre on [−1, 1], by Newton's method on the Legendre polynomial.
const QuadratureRule& legendre(int points) {
  const auto make = [](int n) {
    QuadratureRule made;
    for (int i = 0; i < n; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), derivative = 0;
      for (int step = 0; step < 50; ++step) {
        double previous = 1, value = x;
        for (int k = 2; k <= n; ++k) {
          const double next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
          previous = value;
          value = next;
        }
        derivative = n * (x * value - previous) / (x * x - 1);
        const double change = value / derivative;
        x -= change;
        if (std::abs(change) < 1e-16) break;
      }
      made.nodes.push_back(x);
      made.weights.push_back(2 / ((1 - x * x) * derivative * derivative));
    }
    return made;
  };
  static const std::vector<QuadratureRule> rules = [&] {
    std::vector<QuadratureRule> made;
    for (int n = 0; n <= most_points; ++n) made.push_back(make(n));
    return made;
  }();
  return rules[static_cast<std::size_t>(points)];
}

/// Edges 0 < e < 4e < … < end, where e is the scale of the integrand next to 0.
std::vector<double> graded_edges(double scale, double end) {
  std::vector<double> edges = {0};
  for (double edge = scale; edge < 0.7 * end; edge *= 4) edges.push_back(edge);
  edges.push_back(end);
  return edges;
}

void add_panel(double from, double to, int points, QuadratureRule& rule) {
  const double half = 0.5 * (to - from), centre = 0.5 * (to + from);
  for (int i = 0; i < points; ++i) {
    rule.nodes.push_back(centre + half * legendre(points).nodes[static_cast<std::size_t>(i)]);
    rule.weights.push_back(half * legendre(points).weights[static_cast<std::size_t>(i)]);
  }
}

/// Panels over [0, 9], beyond which a Gaussian holds less than 3e-18. The last two hold 2e-3 and 2e-7 of the whole and
/// need fewer digits.
QuadratureRule radial_rule(double deviation) {
  QuadratureRule rule;
  const std::vector<double> edges = graded_edges(std::min(1.5 / deviation, 1.8), 1.8);
  for (std::size_t p = 0; p + 1 < edges.size(); ++p) add_panel(edges[p], edges[p + 1], most_points, rule);
  add_panel(1.8, 3.6, most_points, rule);
  add_panel(3.6, 5.6, 11, rule);
  add_panel(5.6, 9.0, 8, rule);
  return rule;
}

/// Panels over [0, end], the middle of a wedge; what is narrow beside the scale of the integrand needs fewer points.
QuadratureRule angular_rule(double deviation, double end) {
  QuadratureRule rule;
  const std::vector<double> edges = graded_edges(std::min(1.5 / deviation, end), end);
  const bool narrow = end * std::max(deviation, 1.0) < 0.3;
  for (std::size_t p = 0; p + 1 < edges.size(); ++p) add_panel(edges[p], edges[p + 1], narrow ? 8 : most_points, rule);
  return rule;
}

}  // namespace

QuadratureRule half_gaussian_rule(double deviation) {
  QuadratureRule rule = radial_rule(deviation);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    rule.weights[i] *=
        std::exp(-0.5 * rule.nodes[i] * rule.nodes[i]) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }
  return rule;
}

WedgeRule wedge_rule(double angle, double complement, double deviation) {
  const QuadratureRule radial = radial_rule(deviation);
  // From one edge to the middle; the other half is its mirror image.
  const QuadratureRule half = angular_rule(deviation, 0.5 * angle);
  WedgeRule rule;
  const std::size_t size = 2 * half.nodes.size() * radial.nodes.size();
  rule.first.reserve(size);
  rule.second.reserve(size);
  rule.weights.reserve(size);
  for (const bool mirrored : {false, true}) {
    for (std::size_t j = 0; j < half.nodes.size(); ++j) {
      const double psi = half.nodes[j];
      const double near = std::sin(psi), far = angle < complement ? std::sin(angle - psi) : std::sin(complement + psi);
      for (std::size_t i = 0; i < radial.nodes.size(); ++i) {
        const double r = radial.nodes[i];
        rule.first.push_back(r * (mirrored ? far : near));
        rule.second.push_back(r * (mirrored ? near : far));
        rule.weights.push_back(half.weights[j] * radial.weights[i] * r * std::exp(-0.5 * r * r) *
                               (0.5 / std::numbers::pi));
      }
    }
  }
  return rule;
}

}  // namespace priorfit::internal

#include <cmath>
#include <numbers>

#include "kernel/layers.hpp"

namespace priorfit::internal {
namespace {

constexpr double pi = std::numbers::pi;

// (2/π) asin(2q/(1+2q)), by atan2 because asin loses half the digits near 1.
Dual erf_diagonal(double q) {
  const double root = std::sqrt(1 + 4 * q);
  return {2 / pi * std::atan2(2 * q, root), 4 / pi / (root * (1 + 2 * q))};
}

// The dual at a = b = c = q: Δ² = 1 + 2q and P = (1+q)², which divides before factors meet.
Dual gelu_diagonal(double q) {
  const double square = 1 + 2 * q, root = std::sqrt(square), share = q / (1 + q), rest = 1 / ((1 + q) * root);
  const double angle = pi - std::atan2(root, q);
  const double by_c = angle + share * (3 + 2 * q + q * (q / square)) * rest;
  const double by_a = (share - 0.5 * q * (q / square)) * rest;  // qΔ² − q² = q(1+q)
  return {(share * share * ((1 + square) / root) + angle * q) / (2 * pi), (by_c + 2 * by_a) / (2 * pi)};
}

// s² and its derivative from the table of s.
Dual table_diagonal(const FunctionTable& table, double q) {
  const Norm norm = table.norm(q);
  const double value = norm.value * norm.value;
  if (q > 0) return {value, 2 * value * norm.by_log_q / q};
  // φ(x) ~ x next to 0 gives s² ~ q; without such a term the limit from a small q does.
  constexpr double small = 1e-10;
  return {value, 2 * table.norm(small).by_log_q * std::pow(table.norm(small).value, 2) / small};
}

}  // namespace

DiagonalDual::DiagonalDual(const Activation& activation)
    : activation_(activation), tables_(is_tabulated(activation) ? ActivationTables::of(activation) : nullptr) {}

Dual DiagonalDual::operator()(double q) const {
  switch (activation_.kind()) {
    case Activation::Kind::relu:
    case Activation::Kind::leaky_relu:
    case Activation::Kind::abs:
    case Activation::Kind::identity: {
      const double s = activation_.negative_slope(), half = 0.5 * (1 + s * s);
      return {half * q, half};
    }
    case Activation::Kind::erf: return erf_diagonal(q);
    case Activation::Kind::gelu: return gelu_diagonal(q);
    case Activation::Kind::sin: return {-0.5 * std::expm1(-2 * q), std::exp(-2 * q)};
    case Activation::Kind::cos: return {1 + 0.5 * std::expm1(-2 * q), -std::exp(-2 * q)};
    default: return table_diagonal(tables_->value, q);
  }
}

double DiagonalDual::squared_slope(double q) const {
  if (!tables_) return dual(activation_, q, q, q).derivative;
  const double norm = tables_->derivative.norm(q).value;
  return norm * norm;
}

}  // namespace priorfit::internal

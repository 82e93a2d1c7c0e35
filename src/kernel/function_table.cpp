#include "kernel/function_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/quadrature.hpp"
#include "priorfit/error.hpp"
#include "support/loop_error.hpp"

namespace priorfit::internal {
namespace {

constexpr double lowest_deviation = 0x1p-4;        // the upper end of panel 0
const double largest_deviation = std::exp2(12.5);  // the upper end of the last panel
constexpr double half_pi = std::numbers::pi / 2;

double upper_deviation(int panel) { return lowest_deviation * std::exp2(1.5 * panel); }

/// The deviation at x in [−1, 1] of a panel; the inverse of FunctionTable::position().
double deviation_at(int panel, double x) {
  if (panel == 0) return 0.5 * (x + 1) * lowest_deviation;
  return upper_deviation(panel) * std::exp2(0.75 * (x - 1));
}

double chebyshev_node(int i, int count) { return std::cos(std::numbers::pi * (i + 0.5) / count); }

/// values at the nodes -> coefficients, both of `count` entries `stride` apart.
void to_coefficients(double* values, int count, Index stride) {
  std::array<double, 32> sums;
  for (int m = 0; m < count; ++m) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i * stride] * std::cos(std::numbers::pi * m * (i + 0.5) / count);
    sums[m] = sum * (m == 0 ? 1.0 : 2.0) / count;
  }
  for (int m = 0; m < count; ++m) values[m * stride] = sums[m];
}

/// The block of (a, b) as that of (b, a).
std::vector<double> exchanged(const double* block, int parts) {
  constexpr int n = FunctionTable::variance_terms, cell = FunctionTable::cell_size;
  std::vector<double> out(static_cast<std::size_t>(parts * n * cell));
  for (int part = 0; part < parts; ++part) {
    const Index start = part * n * cell;
    for (int b = 0; b < n; ++b) {
      for (int j = 0; j < FunctionTable::angle_terms; ++j) {
        for (int a = 0; a < n; ++a) out[start + b * cell + j * n + a] = block[start + a * cell + j * n + b];
      }
    }
  }
  return out;
}

FunctionTable::Parity parity_of(const FunctionTable::Function& f) {
  constexpr std::array<double, 16> x = {1e-3,  0.1,  0.37,  0.9,  1.6,  2.9,  7.3,  21.0,
                                        -1e-3, -0.1, -0.37, -0.9, -1.6, -2.9, -7.3, -21.0};
  std::array<double, 16> y;
  f(x, y.data());
  bool even = true, odd = true;
  for (int i = 0; i < 8; ++i) {
    const double rounding = 1e-15 * (std::abs(y[i]) + std::abs(y[i + 8]));
    even = even && std::abs(y[i] - y[i + 8]) <= rounding;
    odd = odd && std::abs(y[i] + y[i + 8]) <= rounding;
  }
  return odd ? FunctionTable::Parity::odd : even ? FunctionTable::Parity::even : FunctionTable::Parity::none;
}

/// f at ±σ x as even and odd parts.
struct Parts {
  Eigen::MatrixXd even, odd;  // points × deviations
};

Parts evaluate(const FunctionTable::Function& f, FunctionTable::Parity parity, std::span<const double> points,
               const std::vector<double>& deviations) {
  const auto rows = static_cast<Index>(points.size()), columns = static_cast<Index>(deviations.size());
  const Eigen::Map<const Eigen::VectorXd> unit(points.data(), rows);
  const Eigen::Map<const Eigen::RowVectorXd> scales(deviations.data(), columns);
  Eigen::MatrixXd x = unit * scales, up(rows, columns);
  const std::span<const double> arguments(x.data(), static_cast<std::size_t>(x.size()));
  f(arguments, up.data());
  if (parity == FunctionTable::Parity::even) return {std::move(up), {}};
  if (parity == FunctionTable::Parity::odd) return {{}, std::move(up)};
  Eigen::MatrixXd down(rows, columns);
  x = -x;
  f(arguments, down.data());
  return {0.5 * (up + down), 0.5 * (up - down)};
}

}  // namespace

FunctionTable::FunctionTable(std::string name, Function f, double tolerance)
    : name_(std::move(name)), f_(std::move(f)), tolerance_(tolerance), parity_(parity_of(f_)) {
  const double step = 1e-6, growth = squared_norm(2 * step) / squared_norm(step);
  if (!(growth > 0 && std::isfinite(growth))) {
    throw Error(ErrorKind::numerical, fmt::format("activation '{}' is 0 or not finite next to 0", name_));
  }
  order_ = static_cast<int>(std::lround(0.5 * std::log2(growth)));
}

PanelPosition FunctionTable::position(double variance) {
  const double deviation = std::sqrt(variance);
  if (deviation <= lowest_deviation) {
    return {0, 2 * deviation / lowest_deviation - 1, deviation / lowest_deviation};
  }
  if (deviation >= largest_deviation) return {panels - 1, 1.0, 0.0};
  const double steps = std::log2(deviation / lowest_deviation) / 1.5;
  const int panel = std::clamp(static_cast<int>(std::ceil(steps)), 1, panels - 1);
  return {panel, 2 * (steps - panel) + 1, 2 / (3 * std::numbers::ln2)};
}

void FunctionTable::chebyshev(double x, double* terms) {
  terms[0] = 1;
  terms[1] = x;
  for (int m = 2; m < variance_terms; ++m) terms[m] = 2 * x * terms[m - 1] - terms[m - 2];
}

void FunctionTable::chebyshev_slopes(double x, double* slopes) {
  double previous = 0, second_kind = 1;  // U_{m−1}
  slopes[0] = 0;
  for (int m = 1; m < variance_terms; ++m) {
    slopes[m] = m * second_kind;
    const double next = 2 * x * second_kind - previous;
    previous = second_kind;
    second_kind = next;
  }
}

double FunctionTable::squared_norm(double deviation) const {
  const QuadratureRule rule = half_gaussian_rule(std::max(deviation, 0x1p-20));
  const Parts parts = evaluate(f_, parity_, rule.nodes, {deviation});
  const Eigen::Map<const Eigen::VectorXd> weights(rule.weights.data(), static_cast<Index>(rule.weights.size()));
  double sum = 0;
  if (parity_ != Parity::odd) sum += weights.dot(parts.even.col(0).cwiseAbs2());
  if (parity_ != Parity::even) sum += weights.dot(parts.odd.col(0).cwiseAbs2());
  return 2 * sum;
}

void FunctionTable::build_norm(int panel, std::array<double, norm_terms>& out) const {
  for (int i = 0; i < norm_terms; ++i) {
    const double deviation = deviation_at(panel, chebyshev_node(i, norm_terms));
    out[i] = std::log(squared_norm(deviation)) - 2 * order_ * std::log(deviation);
  }
  to_coefficients(out.data(), norm_terms, 1);
  require_converged(std::abs(out[norm_terms - 2]) + std::abs(out[norm_terms - 1]), panel, panel);
}

Norm FunctionTable::norm(double variance) const {
  const PanelPosition at = position(variance);
  NormPanel& panel = norms_[at.panel];
  panel.once.call([&] { build_norm(at.panel, panel.coefficients); });
  double value = panel.coefficients[0], slope = 0, t = at.x, before = 1, u = 1, u_before = 0;
  for (int m = 1; m < norm_terms; ++m) {
    value += panel.coefficients[m] * t;
    slope += panel.coefficients[m] * m * u;
    const double t_next = 2 * at.x * t - before, u_next = 2 * at.x * u - u_before;
    before = t, t = t_next, u_before = u, u = u_next;
  }
  const double deviation = std::sqrt(variance), inside = std::min(deviation, largest_deviation);
  Norm norm;
  norm.by_log_q = 0.5 * order_ + 0.5 * slope * at.x_by_log_q;
  // Beyond the last panel f is a power of |x|, of which the norm at its end tells the exponent.
  double beyond = 1;
  if (deviation > largest_deviation) {
    const double exponent = std::round(order_ + slope * 2 / (3 * std::numbers::ln2));
    norm.by_log_q = 0.5 * exponent;
    beyond = std::pow(deviation / largest_deviation, exponent);
  }
  const double root = std::exp(0.5 * value) * beyond;
  norm.value = root * std::pow(inside, order_);
  norm.per_deviation = order_ > 0 ? root * std::pow(inside, order_ - 1) : deviation > 0 ? root / inside : 0;
  if (deviation > inside) norm.per_deviation *= inside / deviation;
  return norm;
}

const double* FunctionTable::block(int row_panel, int column_panel) const {
  Block& block = blocks_[row_panel * panels + column_panel];
  block.once.call([&] {
    if (row_panel <= column_panel) return build(row_panel, column_panel, block.coefficients);
    block.coefficients =
        exchanged(this->block(column_panel, row_panel), signs() * (halvings(row_panel, column_panel) + 1));
  });
  return block.coefficients.data();
}

void FunctionTable::build(int row_panel, int column_panel, std::vector<double>& out) const {
  const int angle_panels = halvings(row_panel, column_panel) + 1;
  std::vector<double> row_deviations(variance_terms), column_deviations(variance_terms);
  Eigen::VectorXd row_norms(variance_terms), column_norms(variance_terms);
  for (int i = 0; i < variance_terms; ++i) {
    row_deviations[i] = deviation_at(row_panel, chebyshev_node(i, variance_terms));
    column_deviations[i] = deviation_at(column_panel, chebyshev_node(i, variance_terms));
    row_norms[i] = std::sqrt(squared_norm(row_deviations[i]));
    column_norms[i] = std::sqrt(squared_norm(column_deviations[i]));
  }
  const Eigen::ArrayXXd norms = row_norms * column_norms.transpose();
  const double deviation = std::max(upper_deviation(row_panel), upper_deviation(column_panel));
  std::vector<double> made(static_cast<std::size_t>(signs() * angle_panels * variance_terms * cell_size));
  const auto cell = [&](int sign, int k, int column) {
    return made.data() + ((sign * angle_panels + k) * variance_terms + column) * cell_size;
  };
  const auto fill_node = [&](int node) {
    const int k = node / angle_terms, j = node % angle_terms;
    const double x = chebyshev_node(j, angle_terms), width = std::ldexp(half_pi, -k);
    const double angle = width * (k + 1 < angle_panels ? 0.25 * (x + 3) : 0.5 * (x + 1));
    Eigen::ArrayXXd even = Eigen::ArrayXXd::Zero(variance_terms, variance_terms), odd = even;
    for (const bool same_sign : {true, false}) {
      const double complement = std::numbers::pi - angle;
      const WedgeRule rule =
          same_sign ? wedge_rule(complement, angle, deviation) : wedge_rule(angle, complement, deviation);
      // A few points at a time, which stay in the cache.
      constexpr std::size_t points_at_once = 512;
      for (std::size_t start = 0; start < rule.weights.size(); start += points_at_once) {
        const std::size_t count = std::min(points_at_once, rule.weights.size() - start);
        const Parts rows = evaluate(f_, parity_, std::span(rule.first).subspan(start, count), row_deviations);
        const Parts columns = evaluate(f_, parity_, std::span(rule.second).subspan(start, count), column_deviations);
        const Eigen::Map<const Eigen::VectorXd> weights(rule.weights.data() + start, static_cast<Index>(count));
        // Two wedges of either kind, of which the odd parts have opposite signs in those where u and v do.
        if (parity_ != Parity::odd) {
          even.matrix().noalias() += 2 * rows.even.transpose() * (weights.asDiagonal() * columns.even);
        }
        if (parity_ != Parity::even) {
          odd.matrix().noalias() += (same_sign ? 2 : -2) * rows.odd.transpose() * (weights.asDiagonal() * columns.odd);
        }
      }
    }
    for (int sign = 0; sign < signs(); ++sign) {
      Eigen::ArrayXXd value = (even + (sign == 0 ? 1.0 : -1.0) * odd) / norms;
      if (parity_ == Parity::odd) value /= std::sin(half_pi - angle);
      for (int b = 0; b < variance_terms; ++b) {
        std::copy_n(value.col(b).data(), variance_terms, cell(sign, k, b) + j * variance_terms);
      }
    }
  };
  LoopError error;  // of memory that is short, or of a function of the user's own
#pragma omp parallel for schedule(dynamic)
  for (int node = 0; node < angle_panels * angle_terms; ++node) error.guard([&] { fill_node(node); });
  error.rethrow();
  for (int part = 0; part < signs() * angle_panels; ++part) {
    double* values = made.data() + part * variance_terms * cell_size;
    for (int i = 0; i < cell_size; ++i) to_coefficients(values + i, variance_terms, cell_size);
    for (int b = 0; b < variance_terms; ++b) {
      double* one = values + b * cell_size;
      for (int i = 0; i < variance_terms; ++i) to_coefficients(one + i, angle_terms, variance_terms);
      for (int j = 0; j < angle_terms; ++j) to_coefficients(one + j * variance_terms, variance_terms, 1);
    }
  }
  check_decay(made, row_panel, column_panel);
  out = std::move(made);
}

// The first coefficient left out is about as large as the last kept, or smaller.
void FunctionTable::check_decay(const std::vector<double>& coefficients, int row_panel, int column_panel) const {
  double tail[3] = {0, 0, 0};
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto within = static_cast<int>(i % (variance_terms * cell_size));
    const int b = within / cell_size, j = within % cell_size / variance_terms, a = within % variance_terms;
    const double size = std::abs(coefficients[i]);
    if (b == variance_terms - 1) tail[0] = std::max(tail[0], size);
    if (j == angle_terms - 1) tail[1] = std::max(tail[1], size);
    if (a == variance_terms - 1) tail[2] = std::max(tail[2], size);
  }
  require_converged(tail[0] + tail[1] + tail[2], row_panel, column_panel);
}

void FunctionTable::require_converged(double left, int row_panel, int column_panel) const {
  if (left <= tolerance_) return;
  throw Error(
      ErrorKind::numerical,
      fmt::format("the covariance of activation '{}' at variances near {:.2g} and {:.2g} does not converge "
                  "({:.1e} left): it must be smooth except at 0 and vary on a scale of about 1",
                  name_, std::pow(upper_deviation(row_panel), 2), std::pow(upper_deviation(column_panel), 2), left));
}

}  // namespace priorfit::internal

// E[f(u)f(v)] of any function f as a table: what stands in for a closed form (M2).
//
// With s(a)² = E[f(u)²] and φ the angle between the inputs, g = E/(s(a) s(b)) is smooth in log a, log b and φ, even
// where f has a kink at 0, because a kink lies on rays through the origin. g (g/cos φ for odd f, so that a small c
// keeps its digits) is held as Chebyshev coefficients on panels: fixed ones in the deviation σ = √a, and in φ ones that
// halve towards 0 and π, where a large variance makes g vary on the scale 1/σ.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "priorfit/matrix.hpp"
#include "support/once.hpp"

namespace priorfit::internal {

/// Where a variance lies among the panels.
struct PanelPosition {
  int panel;
  double x;           // in [−1, 1]
  double x_by_log_q;  // its derivative in log q
};

/// √E[f(u)²] at a variance.
struct Norm {
  double value;
  double per_deviation;  // value / √q, by its limit at q = 0
  double by_log_q;       // d log value / d log q
};

class FunctionTable {
 public:
  enum class Parity { none, even, odd };
  static constexpr int variance_terms = 12;  // coefficients in each variance: three vectors of four
  static constexpr int angle_terms = 12;
  static constexpr int cell_size = angle_terms * variance_terms;
  // Panel 0 is σ in [0, 1/16], each further one goes on to 2√2 times that. Beyond the last, at a variance of 2^25, g
  // stays as it is there: still the covariance of some function, off by less than about 2^-12.5.
  static constexpr int panels = 12;

  /// out[i] = f(x[i])
  using Function = std::function<void(std::span<const double> x, double* out)>;

  /// f: smooth except perhaps at 0, on a scale of about 1. tolerance: of the truncated series, relative to s(a) s(b).
  FunctionTable(std::string name, Function f, double tolerance);

  Parity parity() const { return parity_; }
  int signs() const { return parity_ == Parity::none ? 2 : 1; }

  static PanelPosition position(double variance);
  /// T_m(x), m < variance_terms
  static void chebyshev(double x, double* terms);
  static void chebyshev_slopes(double x, double* slopes);

  /// Angle panels of a block: panel k < halvings is (π/2)[2^−(k+1), 2^−k] of the acute angle, the last one goes on to
  /// 0. As many as bring π/2 below about 1/σ of the larger deviation: ⌈log₂ σ⌉ + 2, log₂ σ = 3p/2 − 4. (The smaller
  /// would do for smooth functions; a kink in one factor feels the other's scale.)
  static int halvings(int row_panel, int column_panel) {
    const int halves = (3 * std::max(row_panel, column_panel) + 1) / 2;
    return std::max(1, halves - 2);
  }

  /// Coefficients of a pair of variance panels: signs() × (halvings + 1) × variance_terms in b × cell, where a cell is
  /// angle_terms × variance_terms in a; the first sign is c >= 0. Made at the first call, safely from any thread.
  /// Throws Error(numerical) when the series does not converge to the tolerance.
  const double* block(int row_panel, int column_panel) const;

  /// Throws Error(numerical) likewise.
  Norm norm(double variance) const;

 private:
  static constexpr int norm_terms = 16;

  struct Block {
    Once once;
    std::vector<double> coefficients;
  };
  struct NormPanel {
    Once once;
    std::array<double, norm_terms> coefficients;  // of log(s²/σ^{2·order})
  };

  void build(int row_panel, int column_panel, std::vector<double>& out) const;
  void build_norm(int panel, std::array<double, norm_terms>& out) const;
  double squared_norm(double deviation) const;
  void check_decay(const std::vector<double>& coefficients, int row_panel, int column_panel) const;
  void require_converged(double left, int row_panel, int column_panel) const;

  std::string name_;
  Function f_;
  double tolerance_;
  Parity parity_;
  int order_;  // f(x) ~ |x|^order next to 0
  mutable std::array<Block, panels * panels> blocks_;
  mutable std::array<NormPanel, panels> norms_;
};

}  // namespace priorfit::internal

#include "kernel/table_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/table_pass.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <bit>

#include "kernel/angle-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace priorfit::internal {
namespace HWY_NAMESPACE {

constexpr Index entries_at_once = 64;
constexpr int variance_terms = FunctionTable::variance_terms, angle_terms = FunctionTable::angle_terms;

using DC = hn::CappedTag<double, 4>;  // a row's terms are three vectors of four; wider would be half empty
using VC = hn::Vec<DC>;

// cell = Σ_b terms[b] · block[b]
HWY_INLINE void Collapse(const double* block, const double* terms, double* cell) {
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < FunctionTable::cell_size; i += 4 * lanes) {
    VC sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    for (int b = 0; b < variance_terms; ++b) {
      const VC term = hn::Set(d, terms[b]);
      const double* source = block + b * FunctionTable::cell_size + i;
      sum0 = hn::MulAdd(term, hn::LoadU(d, source), sum0);
      sum1 = hn::MulAdd(term, hn::LoadU(d, source + lanes), sum1);
      sum2 = hn::MulAdd(term, hn::LoadU(d, source + 2 * lanes), sum2);
      sum3 = hn::MulAdd(term, hn::LoadU(d, source + 3 * lanes), sum3);
    }
    hn::StoreU(sum0, d, cell + i);
    hn::StoreU(sum1, d, cell + i + lanes);
    hn::StoreU(sum2, d, cell + i + 2 * lanes);
    hn::StoreU(sum3, d, cell + i + 3 * lanes);
  }
}

/// The cells of one column: blocks summed over the column's terms, each when the first entry needs it. A run of entries
/// meets few of them, again and again.
class ColumnCells {
 public:
  void start(const FunctionTable* table, int column_panel, const double* column_terms) {
    table_ = table;
    column_panel_ = column_panel;
    column_terms_ = column_terms;
    made_.assign(slots, false);
    if (cells_.empty()) cells_.resize(static_cast<std::size_t>(slots) * FunctionTable::cell_size);
  }

  const double* get(int row_panel, int sign, int k) {
    const int slot = (row_panel * 2 + sign) * most_angle_panels + k;
    double* cell = cells_.data() + static_cast<Index>(slot) * FunctionTable::cell_size;
    if (!made_[slot]) {
      made_[slot] = true;
      const int angle_panels = FunctionTable::halvings(row_panel, column_panel_) + 1;
      const double* source = table_->block(row_panel, column_panel_) + static_cast<Index>(sign * angle_panels + k) *
                                                                           FunctionTable::variance_terms *
                                                                           FunctionTable::cell_size;
      Collapse(source, column_terms_, cell);
    }
    return cell;
  }

 private:
  static constexpr int most_angle_panels = FunctionTable::panels;
  static constexpr int slots = FunctionTable::panels * 2 * most_angle_panels;

  const FunctionTable* table_ = nullptr;
  int column_panel_ = 0;
  const double* column_terms_ = nullptr;
  std::vector<std::uint8_t> made_;
  std::vector<double> cells_;
};

/// A handful of entries on their way through the table.
struct Entries {
  Index count;
  alignas(64) double covariances[entries_at_once];
  alignas(64) double variances[entries_at_once];
  alignas(64) double angles[entries_at_once];  // acute angle / (π/2), later x in its panel
  alignas(64) double terms[angle_terms][entries_at_once];
  bool negative[entries_at_once];
  int angle_panels[entries_at_once];
};

void Load(const TableArguments& p, Index first, Entries& e) {
  e.count = std::min(entries_at_once, p.step.length - first);
  std::copy_n(p.step.covariances + first, e.count, e.covariances);
  std::copy_n(p.step.row_variances + first, e.count, e.variances);
  // The rest of the last vector is computed and thrown away.
  std::fill(e.covariances + e.count, e.covariances + entries_at_once, 0.0);
  std::fill(e.variances + e.count, e.variances + entries_at_once, 1.0);
}

void FindAngles(const TableArguments& p, Entries& e) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const V b = hn::Set(d, p.step.column_variance), scale = hn::Set(d, 2 / std::numbers::pi);
  for (Index i = 0; i < e.count; i += lanes) {
    const V a = hn::Load(d, e.variances + i), c = hn::Load(d, e.covariances + i);
    const V root = hn::Sqrt(Determinant(d, a, b, c));
    hn::Store(hn::Mul(scale, AngleOf(d, root, hn::Abs(c)).angle), d, e.angles + i);
  }
  for (Index i = 0; i < e.count; ++i) e.negative[i] = e.covariances[i] < 0;
}

void FindAnglePanels(const TableArguments& p, Index first, Entries& e) {
  for (Index i = 0; i < e.count; ++i) {
    const int last = FunctionTable::halvings(p.row_panels[first + i], p.column_panel);
    // 2^−(k+1) <= t < 2^−k from the exponent of t; t = 1 belongs to k = 0.
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(e.angles[i]) >> 52) - 1023;
    const int k = std::clamp(-exponent - 1, 0, last);
    const double scaled = e.angles[i] * static_cast<double>(std::int64_t{1} << k);
    e.angles[i] = k < last ? 4 * scaled - 3 : 2 * scaled - 1;
    e.angle_panels[i] = k;
  }
  std::fill(e.angles + e.count, e.angles + entries_at_once, 0.0);
}

void FindTerms(Entries& e) {
  const D d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < e.count; i += lanes) {
    const V x = hn::Load(d, e.angles + i), twice = hn::Add(x, x);
    V before = hn::Set(d, 1.0), term = x;
    hn::Store(before, d, e.terms[0] + i);
    hn::Store(term, d, e.terms[1] + i);
    for (int j = 2; j < angle_terms; ++j) {
      const V next = hn::MulSub(twice, term, before);
      before = term;
      term = next;
      hn::Store(term, d, e.terms[j] + i);
    }
  }
}

struct Series {
  double value;
  double slope;  // with row_term_slopes in place of row_terms
};

// Σ_j Σ_m cell[j][m] T_j(angle) terms[m], and with slopes[m] if asked for: the cell's sum over j serves both.
template <bool with_slope>
HWY_INLINE Series Evaluate(const double* cell, const Entries& e, Index i, const double* terms, const double* slopes) {
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  VC value = hn::Zero(d), slope = hn::Zero(d);
  for (int m = 0; m < variance_terms; m += 3 * lanes) {
    VC sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d);
    for (int j = 0; j < angle_terms; ++j) {
      const VC t = hn::Set(d, e.terms[j][i]);
      const double* row = cell + j * variance_terms + m;
      sum0 = hn::MulAdd(t, hn::LoadU(d, row), sum0);
      sum1 = hn::MulAdd(t, hn::LoadU(d, row + lanes), sum1);
      sum2 = hn::MulAdd(t, hn::LoadU(d, row + 2 * lanes), sum2);
    }
    const auto add = [&](VC total, const double* weights) {
      total = hn::MulAdd(sum0, hn::LoadU(d, weights + m), total);
      total = hn::MulAdd(sum1, hn::LoadU(d, weights + m + lanes), total);
      return hn::MulAdd(sum2, hn::LoadU(d, weights + m + 2 * lanes), total);
    };
    value = add(value, terms);
    if (with_slope) slope = add(slope, slopes);
  }
  return {hn::GetLane(hn::SumOfLanes(d, value)), with_slope ? hn::GetLane(hn::SumOfLanes(d, slope)) : 0.0};
}

struct TwoValues {
  double first, second;
};

// The values of two cells at one place: more sums in flight, and each term is loaded once.
HWY_INLINE TwoValues EvaluateTwo(const double* first, const double* second, const Entries& e, Index i,
                                 const double* terms) {
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  VC value = hn::Zero(d), other = hn::Zero(d);
  for (int m = 0; m < variance_terms; m += 3 * lanes) {
    VC a0 = hn::Zero(d), a1 = hn::Zero(d), a2 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d), b2 = hn::Zero(d);
    for (int j = 0; j < angle_terms; ++j) {
      const VC t = hn::Set(d, e.terms[j][i]);
      const double *a = first + j * variance_terms + m, *b = second + j * variance_terms + m;
      a0 = hn::MulAdd(t, hn::LoadU(d, a), a0);
      b0 = hn::MulAdd(t, hn::LoadU(d, b), b0);
      a1 = hn::MulAdd(t, hn::LoadU(d, a + lanes), a1);
      b1 = hn::MulAdd(t, hn::LoadU(d, b + lanes), b1);
      a2 = hn::MulAdd(t, hn::LoadU(d, a + 2 * lanes), a2);
      b2 = hn::MulAdd(t, hn::LoadU(d, b + 2 * lanes), b2);
    }
    const VC w0 = hn::LoadU(d, terms + m), w1 = hn::LoadU(d, terms + m + lanes),
             w2 = hn::LoadU(d, terms + m + 2 * lanes);
    value = hn::MulAdd(a2, w2, hn::MulAdd(a1, w1, hn::MulAdd(a0, w0, value)));
    other = hn::MulAdd(b2, w2, hn::MulAdd(b1, w1, hn::MulAdd(b0, w0, other)));
  }
  return {hn::GetLane(hn::SumOfLanes(d, value)), hn::GetLane(hn::SumOfLanes(d, other))};
}

// At a fixed angle ∂E/∂log a = κ_a E + the slope of the series, κ = d log s/d log q; and since c = √(ab) cos φ,
//   dE = (∂E/∂log a − ½ c E_c) a'/a + (∂E/∂log b − ½ c E_c) b'/b + E_c c',   E_c = E[φ′φ′] from a table of its own.
void TablePass(const TableArguments& p) {
  thread_local ColumnCells cells, term_slope_cells, slope_cells;
  thread_local Entries e;
  const StepArguments& out = p.step;
  cells.start(p.table, p.column_panel, p.column_terms);
  if (out.by_row) term_slope_cells.start(p.table, p.column_panel, p.column_term_slopes);
  if (out.by_covariance) slope_cells.start(p.slope, p.column_panel, p.column_terms);
  const bool odd = p.table->parity() == FunctionTable::Parity::odd, has_signs = p.table->signs() == 2;
  const bool slope_odd = p.slope && p.slope->parity() == FunctionTable::Parity::odd;
  const bool slope_has_signs = p.slope && p.slope->signs() == 2;
  for (Index first = 0; first < out.length; first += entries_at_once) {
    Load(p, first, e);
    FindAngles(p, e);
    FindAnglePanels(p, first, e);
    FindTerms(e);
    for (Index i = 0; i < e.count; ++i) {
      const Index row = first + i;
      const int panel = p.row_panels[row], sign = has_signs && e.negative[i], k = e.angle_panels[i];
      const double* terms = p.row_terms + row * variance_terms;
      const double scale = p.row_norms[row] * p.column_norm * (odd ? e.covariances[i] : 1.0);
      const double* cell = cells.get(panel, sign, k);
      if (!out.by_covariance) {
        out.next[row] = out.bias + out.weight * scale * Evaluate<false>(cell, e, i, terms, nullptr).value;
        continue;
      }
      const double* slope_cell = slope_cells.get(panel, slope_has_signs && e.negative[i], k);
      const double slope_scale = p.slope_row_norms[row] * p.slope_column_norm * (slope_odd ? e.covariances[i] : 1.0);
      double value = 0.0, slope = 0.0;
      if (out.by_row) {
        const Series series = Evaluate<true>(cell, e, i, terms, p.row_term_slopes + row * variance_terms);
        const double of_column = Evaluate<false>(term_slope_cells.get(panel, sign, k), e, i, terms, nullptr).value;
        value = scale * series.value;
        slope = slope_scale * Evaluate<false>(slope_cell, e, i, terms, nullptr).value;
        const double turned = 0.5 * e.covariances[i] * slope;
        out.by_row[row] = p.row_growth[row] * value + scale * series.slope - turned;
        out.by_column[row] = p.column_growth * value + scale * of_column - turned;
      } else {
        const TwoValues both = EvaluateTwo(cell, slope_cell, e, i, terms);
        value = scale * both.first;
        slope = slope_scale * both.second;
      }
      out.values[row] = value;
      out.by_covariance[row] = slope;
      out.next[row] = out.bias + out.weight * value;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace priorfit::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace priorfit::internal {

HWY_EXPORT(TablePass);

void table_pass(const TableArguments& arguments) { return HWY_DYNAMIC_DISPATCH(TablePass)(arguments); }

}  // namespace priorfit::internal
#endif  // HWY_ONCE

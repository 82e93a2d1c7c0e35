// A symmetric matrix reduced once to a narrow band by an orthogonal transformation, S = Q B Qᵀ, so that any s B + n I
// can be factored, solved and traced in O(N · width²) (M4).
//
// A band, not a tridiagonal matrix: reduction to a band is all matrix-matrix work, about 5 Cholesky factorisations'
// time at N = 2000 where dsytrd takes 10, because half of dsytrd's work is bound by memory (docs/decisions/0004).
#pragma once

#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit::internal {

/// Column j holds entries (j, j), (j + 1, j), …: (width + 1) × N.
using Band = Eigen::MatrixXd;

class BandReduction {
 public:
  /// lower: N × N, of which the lower triangle is read. Takes the matrix over; it is work space.
  explicit BandReduction(Eigen::MatrixXd lower);

  const Band& band() const { return band_; }
  /// columns := Qᵀ columns, N × any
  void rotate(Eigen::MatrixXd& columns) const;

 private:
  Eigen::MatrixXd reflectors_;
  std::vector<double> scales_;
  Band band_;
};

/// Cholesky factor of scale · B + ridge · I.
class BandFactor {
 public:
  BandFactor(const Band& band, double scale, double ridge);

  bool ok() const { return ok_; }  // positive definite; nothing below is valid otherwise
  double log_determinant() const;
  double inverse_trace() const;
  void solve(Eigen::MatrixXd& columns) const;

 private:
  Band factor_;
  bool ok_;
};

}  // namespace priorfit::internal

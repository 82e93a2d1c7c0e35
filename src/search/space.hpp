// The coordinates of a search: t = log(variance + offset) for each coordinate of a family and for the criterion's
// nuisance parameter, the last. The offset of biases keeps σ_b² = 0 at a finite place where the slope does not vanish,
// which neither log σ_b² nor σ_b gives; that of the noise does the same for noise too small to matter, where the
// evidence is flat in log σ_n².
#pragma once

#include <Eigen/Core>
#include <vector>

#include "criteria/smooth.hpp"
#include "model/bias_offset.hpp"

namespace priorfit::internal {

using Point = Eigen::VectorXd;

struct Place {
  Initialisation start;
  double nuisance = 0.0;
};

class SearchSpace {
 public:
  SearchSpace(const Family& family, const Nuisance& nuisance);

  const Family& family() const { return family_; }
  Index size() const { return static_cast<Index>(names_.size()); }
  Index nuisance() const { return size() - 1; }  // its place among the coordinates
  const std::string& name(Index i) const { return names_[static_cast<std::size_t>(i)]; }

  /// 0 at first. Earlier points mean something else afterwards.
  void set_nuisance_offset(double offset);
  double offset(Index i) const { return offset_[i]; }

  Point to_point(const Place& place) const;
  /// Of one that the family does not have, the nearest that it has.
  Place to_place(const Point& point) const;
  /// A coordinate on its bound has the bound's very value.
  double value(const Point& point, Index i) const;
  /// d(score)/dt from the derivatives in the variances themselves.
  Point chain(const Slopes& slopes, const Point& at) const;
  /// d(score)/d(variance) of each coordinate: the sum over the layers that it rules.
  Point slopes_of(const Slopes& slopes) const;

  Point clamp(const Point& point) const { return point.cwiseMax(lower_).cwiseMin(upper_); }
  bool is_free(Index i) const { return free_[static_cast<std::size_t>(i)]; }
  void fix(Index i) { free_[static_cast<std::size_t>(i)] = false; }
  bool at_lower(const Point& point, Index i) const;
  bool at_upper(const Point& point, Index i) const;
  bool is_inside(const Point& point, Index i) const { return is_free(i) && !at_lower(point, i) && !at_upper(point, i); }
  double lower(Index i) const { return lower_[i]; }
  double upper(Index i) const { return upper_[i]; }
  const Bounds& bounds(Index i) const { return bounds_[static_cast<std::size_t>(i)]; }
  /// Whether nothing lies beyond the lower bound: σ_b² = 0.
  bool is_natural(Index i) const;

 private:
  void place_bounds();

  Family family_;
  std::vector<std::string> names_;
  std::vector<Bounds> bounds_;
  std::vector<bool> free_;
  Point offset_, lower_, upper_;
};

/// The largest |Δt| over a family's coordinates: how far apart two of its members are.
double family_distance(const Family& family, const Initialisation& a, const Initialisation& b);

}  // namespace priorfit::internal

// The coordinates of the continuous search: t = (log σ_w², log(σ_b² + δ), log(σ_n² + ν)). The offset δ keeps σ_b² = 0
// at a finite place where the slope does not vanish, which neither log σ_b² nor σ_b gives; ν does the same for noise
// too small to matter, where the evidence is flat in log σ_n².
#pragma once

#include <Eigen/Core>
#include <array>

#include "kernel/bias_offset.hpp"
#include "priorfit/recommend.hpp"

namespace priorfit {

using Point = Eigen::Vector3d;

struct ModelPoint {
  LayerPrior prior;
  double noise_variance = 0.0;
};

class SearchSpace {
 public:
  explicit SearchSpace(const RecommendOptions& options);

  /// ν, 0 at first. Points of before mean something else afterwards.
  void set_noise_offset(double offset);
  double offset(int i) const { return offset_[i]; }

  Point to_point(const ModelPoint& model) const;
  /// Back to the model; a coordinate on its bound gives the bound's very value.
  ModelPoint to_model(const Point& point) const;
  /// d(evidence)/dt from the derivatives in the parameters themselves.
  Point chain(const EvidenceGradient& gradient, const ModelPoint& at) const;

  Point clamp(const Point& point) const { return point.cwiseMax(lower_).cwiseMin(upper_); }
  bool is_free(int i) const { return free_[static_cast<std::size_t>(i)]; }
  void fix(int i) { free_[static_cast<std::size_t>(i)] = false; }
  bool at_lower(const Point& point, int i) const;
  bool at_upper(const Point& point, int i) const;
  bool is_inside(const Point& point, int i) const { return is_free(i) && !at_lower(point, i) && !at_upper(point, i); }
  double lower(int i) const { return lower_[i]; }
  double upper(int i) const { return upper_[i]; }
  const Bounds& bounds(int i) const { return bounds_[static_cast<std::size_t>(i)]; }

 private:
  void place_bounds();

  std::array<Bounds, 3> bounds_;
  std::array<bool, 3> free_ = {true, true, true};
  Point offset_ = {0.0, bias_offset, 0.0};
  Point lower_, upper_;
};

/// The largest |Δt| of σ_w² and σ_b²: how far apart two recommended pairs are.
double pair_distance(const LayerPrior& a, const LayerPrior& b);

}  // namespace priorfit

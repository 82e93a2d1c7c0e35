// What a continuous search asks of a criterion besides judging: values and slopes at any nuisance parameter (the
// evidence's noise), cheaper samples of the same data, and, where there is one, a ray along which everything is cheap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "criteria/work_meter.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/family.hpp"

namespace priorfit::internal {

/// A parameter that belongs to the criterion and not to the initialisation.
struct Nuisance {
  std::string name;
  Bounds bounds;  // equal where it is fixed
  bool fixed = false;
};

struct Slopes {
  std::vector<LayerSlopes> layers;  // depth + 1
  double nuisance = 0.0;
};

/// The score along one direction for next to nothing (M4): all variances times a common factor, every
/// nuisance.
class Ray {
 public:
  struct Value {
    double value;  // per target value; NaN where there is none
    double by_log_scale;
    double by_log_nuisance;
  };

  virtual ~Ray() = default;
  virtual const Initialisation& start() const = 0;
  /// Whether scales other than 1 are known.
  virtual bool scales() const = 0;
  /// scale: by which the variances of start() are multiplied
  virtual Value at(double scale, double nuisance) const = 0;
};

class SmoothCriterion {
 public:
  virtual ~SmoothCriterion() = default;

  virtual std::string_view name() const = 0;
  virtual const Nuisance& nuisance() const = 0;
  virtual const NetworkSpec& network() const = 0;
  virtual Index samples() const = 0;
  /// Target values: scores are divided by their number, so that their size does not depend on the sample.
  virtual double values() const = 0;
  virtual WorkMeter& meter() = 0;
  /// Counts with what other samples of the same search count with.
  virtual void share(std::shared_ptr<WorkMeter> meter) = 0;

  /// Per target value; NaN where there is none. `slopes`, if not null, receives the derivatives of that.
  virtual double evaluate(const Initialisation& start, double nuisance, Slopes* slopes) = 0;
  /// The whole score at a nuisance that is given, with the figures that its gradient brings along.
  virtual Score score_at(const Initialisation& start, double nuisance) = 0;
  /// Below about this the nuisance hardly matters, so that coordinates are log(nuisance + this).
  virtual double nuisance_offset(const Initialisation& start) = 0;
  /// The best nuisance; empty where nothing could be judged.
  virtual std::optional<double> best_nuisance(const Initialisation& start) = 0;

  /// False where evaluating would take long and cannot pay.
  virtual bool is_worth_trying(const Initialisation& start) const = 0;
  /// Pairs of every layer that a coarse grid over `bounds` may miss; none where a coarse grid finds all.
  virtual std::vector<LayerPrior> promising_pairs(const Bounds& weights, const std::vector<double>& biases) const = 0;
  /// Whether one ray per pair pays, so that all nuisances of a start are tried for the price of one covariance.
  virtual bool rays_pay() const = 0;
  /// Null where there is none, or where it does not fit in memory. Takes a few evaluations' time.
  virtual std::unique_ptr<Ray> ray(const Initialisation& start) = 0;
  /// Hands a ray back, for best_nuisance() of what lies on it.
  virtual void keep(std::unique_ptr<Ray> ray) = 0;

  /// The same criterion on some of the rows, drawn by `seed`; shares the meter.
  virtual std::unique_ptr<SmoothCriterion> on_rows(Index samples, std::uint64_t seed) const = 0;
};

}  // namespace priorfit::internal

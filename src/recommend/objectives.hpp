// The functions that local searches climb: the evidence of a sample, directly or along a reduced ray.
#pragma once

#include <chrono>
#include <optional>

#include "recommend/local_search.hpp"
#include "recommend/promising_pairs.hpp"
#include "recommend/space.hpp"

namespace priorfit {

/// Counts what a search costs, tells the caller how far it is and lets him cancel.
class CostMeter {
 public:
  explicit CostMeter(const RecommendOptions& options) : options_(options) {}

  void factorization(Index samples) { ++cost_.factorizations, add(samples, 1.0); }
  void gradient(Index samples) { ++cost_.gradients, add(samples, 2.5); }
  void reduction(Index samples) { ++cost_.reductions, add(samples, 5.0); }
  /// whole: samples whose factorisation is the unit
  SearchCost cost(Index whole) const;

  /// What is being done, for progress().
  void begin_stage(std::string text);
  /// Reports progress; throws Error(interrupted) when the caller cancels.
  void step();

 private:
  void add(Index samples, double equivalents);

  const RecommendOptions& options_;
  SearchCost cost_;
  double cubes_ = 0.0;  // Σ equivalents · samples³
  std::string stage_;
  int steps_ = 0;
};

/// Seconds since its making.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The evidence of one sample per target value; NaN where it cannot be factored, or where a tabulated activation's
/// variances grow too much. A gradient asked for twice in a row is computed once.
class EvidenceObjective {
 public:
  EvidenceObjective(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                    const SearchSpace& space, const RecommendOptions& options, CostMeter& meter);

  double operator()(const Point& at, Point* gradient);

  /// False where tables of variances too large to explain the data would have to be made.
  bool is_worth_trying(const LayerPrior& prior) const;

  /// The reduction M4 at a pair; none where a variance explodes or vanishes.
  std::optional<EvidenceProfile> profile(const LayerPrior& prior) { return reduce(prior); }
  std::optional<EvidenceProfile> profile(const std::vector<LayerPrior>& layers) { return reduce(layers); }

  EvidenceEngine& engine() { return engine_; }
  Index samples() const { return samples_; }
  const SampleScale& scale() const { return scale_; }
  double values() const { return values_; }
  CostMeter& meter() { return meter_; }
  /// The gradient last computed at `at`; computed anew if that was elsewhere.
  EvidenceGradient gradient_at(const Point& at);

 private:
  template <typename PairOrLayers>
  std::optional<EvidenceProfile> reduce(const PairOrLayers& priors);

  Index samples_;
  double values_;  // samples × outputs
  NetworkSpec network_;
  SampleScale scale_;
  const SearchSpace& space_;
  CostMeter& meter_;
  EvidenceEngine engine_;
  std::optional<Point> factored_;  // where the engine still holds a factor
  Point last_ = Point::Constant(1e300);
  EvidenceGradient last_gradient_;
};

/// The same along a profile: σ_b² follows σ_w² at the profile's ratio, its own slope counts as 0.
Objective profile_objective(const EvidenceProfile& profile, const SearchSpace& space, double values);

}  // namespace priorfit

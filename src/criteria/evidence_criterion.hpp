// The marginal likelihood as a criterion (M3): what explains the data best, at the noise that suits each
// initialisation.
#pragma once

#include <memory>
#include <optional>

#include "criteria/sample_scale.hpp"
#include "criteria/smooth.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit::internal {

/// Rows of a sample, owned where they were drawn from a larger one.
struct OwnedRows {
  Matrix inputs, targets;
};

class EvidenceCriterion final : public Criterion, public SmoothCriterion {
 public:
  /// inputs and targets are viewed and must outlive the criterion.
  EvidenceCriterion(const MatrixView& inputs, const MatrixView& targets, const NetworkSpec& network,
                    const CriterionOptions& options, std::shared_ptr<WorkMeter> meter = std::make_shared<WorkMeter>());
  ~EvidenceCriterion() override;

  std::string_view name() const override { return "evidence"; }
  Score judge(const Initialisation& start, const RunContext& context) override;
  Score judge_in_full(const Initialisation& start, const RunContext& context) override;
  std::size_t prefer(const std::vector<Candidate>& candidates) const override;
  SmoothCriterion* smooth() override { return this; }

  const Nuisance& nuisance() const override { return nuisance_; }
  const NetworkSpec& network() const override { return network_; }
  Index samples() const override { return inputs_.rows(); }
  double values() const override { return static_cast<double>(targets_.size()); }
  WorkMeter& meter() override { return *meter_; }
  void share(std::shared_ptr<WorkMeter> meter) override { meter_ = std::move(meter); }
  double evaluate(const Initialisation& start, double nuisance, Slopes* slopes) override;
  Score score_at(const Initialisation& start, double nuisance) override;
  double nuisance_offset(const Initialisation& start) override;
  std::optional<double> best_nuisance(const Initialisation& start) override;
  bool is_worth_trying(const Initialisation& start) const override;
  std::vector<LayerPrior> promising_pairs(const Bounds& weights, const std::vector<double>& biases) const override;
  bool rays_pay() const override { return !is_shallow(network_); }
  std::unique_ptr<Ray> ray(const Initialisation& start) override;
  void keep(std::unique_ptr<Ray> ray) override { ray_ = std::move(ray); }
  std::unique_ptr<SmoothCriterion> on_rows(Index samples, std::uint64_t seed) const override;

  /// By climbing the evidence itself: what best_nuisance() does where a reduction does not fit in memory.
  std::optional<double> best_nuisance_directly(const Initialisation& start);
  bool holds_gram() const { return engine_.holds_gram(); }

 private:
  /// Where the engine was last, and what it still holds of it.
  struct Place {
    Initialisation start;
    double noise_variance = 0.0;
    bool operator==(const Place&) const = default;
  };

  EvidenceCriterion(std::unique_ptr<OwnedRows> rows, const EvidenceCriterion& whole);
  Score judge_at_best_noise(const Initialisation& start, bool leave_one_out);
  const EvidenceGradient& gradient_at(const Place& place);

  std::unique_ptr<OwnedRows> rows_;
  MatrixView inputs_, targets_;
  NetworkSpec network_;
  CriterionOptions options_;
  SampleScale scale_;
  Nuisance nuisance_;
  std::shared_ptr<WorkMeter> meter_;
  EvidenceEngine engine_;
  std::unique_ptr<Ray> ray_;       // the last one made: what lies on it shares it
  std::optional<Place> factored_;  // whose factor the engine still holds
  std::optional<Place> last_;      // of last_gradient_
  EvidenceGradient last_gradient_;
};

}  // namespace priorfit::internal

// What training does, predicted (M8), as a criterion.
#include <fmt/format.h>

#include <cmath>

#include "criteria/library_criteria.hpp"
#include "criteria/risk_preference.hpp"
#include "priorfit/criterion.hpp"
#include "priorfit/error.hpp"
#include "priorfit/preparation.hpp"

namespace priorfit::internal {
namespace {

class RiskCriterion final : public Criterion {
 public:
  explicit RiskCriterion(const CriterionInputs& in)
      : classification_(in.labels != nullptr),
        engine_(in.inputs, in.targets, classification_ ? Task::classification : Task::regression, in.network,
                in.options.risk) {}

  std::string_view name() const override { return "trained-risk"; }
  Score judge(const Initialisation& start, const RunContext&) override { return engine_.evaluate(start.layers); }
  std::size_t prefer(const std::vector<Candidate>& candidates) const override { return prefer_by_risk(candidates); }
  std::string rule() const override {
    return fmt::format(
        "Of all starts whose {} is within {:g} % of the least, the one whose hidden layers are closest to He's pair, "
        "because it trains faster.",
        classification_ ? "share of wrong classes" : "error", 100 * preference_tolerance(classification_));
  }

 private:
  bool classification_;
  TrainedRiskEngine engine_;
};

/// In the logarithms, as the search measures distances; an output layer of its own variance does not count. The
/// largest over the hidden layers.
double distance_to_he(const Initialisation& start) {
  double furthest = 0.0;
  for (std::size_t l = 0; l + 1 < start.layers.size(); ++l) {
    const LayerPrior& layer = start.layers[l];
    furthest = std::max(
        furthest, std::hypot(std::log(layer.weight_variance / 2.0), std::log1p(layer.bias_variance / bias_offset)));
  }
  return furthest;
}

const TrainedRisk* known_risk(const Candidate& candidate) {
  return candidate.has_risk() && candidate.risk().ok() ? &candidate.risk() : nullptr;
}

}  // namespace

double preference_tolerance(bool classification) { return classification ? 0.03 : 0.01; }

const Candidate* least_risk(const std::vector<Candidate>& candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    const TrainedRisk* risk = known_risk(candidate);
    if (risk && (!best || risk->loss() < best->risk().loss())) best = &candidate;
  }
  return best;
}

std::size_t prefer_by_risk(const std::vector<Candidate>& candidates) {
  const Candidate* best = least_risk(candidates);
  if (!best) {
    const bool judged = !candidates.empty() && candidates.front().has_risk();
    throw Error(ErrorKind::numerical, fmt::format("what training does could be predicted nowhere; the first: {}",
                                                  judged ? candidates.front().risk().failure : "no candidate"));
  }
  // One standard error would be too much: it is the spread of samples that are the same for all candidates
  // (docs/choice-quality.md).
  const double least = best->risk().loss();
  const double good = (1 + preference_tolerance(best->risk().accuracy.has_value())) * least;
  const Candidate* chosen = best;
  for (const Candidate& candidate : candidates) {
    const TrainedRisk* risk = known_risk(candidate);
    if (!risk || risk->loss() > good) continue;
    const double nearer = distance_to_he(candidate.start) - distance_to_he(chosen->start);
    if (nearer < 0 || (nearer == 0 && risk->loss() < chosen->risk().loss())) chosen = &candidate;
  }
  return static_cast<std::size_t>(chosen - candidates.data());
}

CriterionInfo trained_risk_criterion() {
  return {.name = "trained-risk",
          .unit = "predicted loss",
          .larger_is_better = false,
          .summary = "what a network is predicted to train best from",
          .make = [](const CriterionInputs& in) -> std::unique_ptr<Criterion> {
            return std::make_unique<RiskCriterion>(in);
          },
          .most_rows = [](const CriterionOptions& options) { return options.risk_samples; }};
}

}  // namespace priorfit::internal

// What initialisations are judged by. The library knows "evidence" and "trained-risk"; one of your own is a class and a
// line:
//
//     struct Closeness : Criterion {                               // how far from (1, 0), in the logarithm of σ_w²
//       std::string_view name() const override { return "closeness"; }
//       Score judge(const Initialisation& start, const RunContext&) override {
//         return Score::of(std::abs(std::log(start.layers[0].weight_variance)));
//       }
//     };
//     register_criterion({.name = "closeness", .unit = "e-folds", .larger_is_better = false,
//                         .make = [](const CriterionInputs&) { return std::make_unique<Closeness>(); }});
//     recommend(data, network, {.criterion = "closeness"});        // in tables, JSON and on the page as well
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "priorfit/context.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/family.hpp"
#include "priorfit/initialisation.hpp"
#include "priorfit/matrix.hpp"
#include "priorfit/trained_risk.hpp"

namespace priorfit {

namespace internal {
class SmoothCriterion;
}

/// What one criterion says of one initialisation: a figure, or why there is none. It cannot be made without either.
class Score {
 public:
  /// Throws Error(internal) unless `value` is finite.
  static Score of(double value);
  static Score failed(std::string why);
  Score(const Evidence& evidence);  // nats
  Score(const TrainedRisk& risk);   // its loss()

  bool ok() const { return failure_.empty(); }
  double value() const;  // in the criterion's unit; throws Error(internal) where there is none
  const std::string& failure() const { return failure_; }
  const Evidence* evidence() const { return std::get_if<Evidence>(&detail_); }    // null: of another criterion
  const TrainedRisk* risk() const { return std::get_if<TrainedRisk>(&detail_); }  // null: of another criterion

 private:
  Score() = default;

  double value_ = 0.0;
  std::string failure_;
  std::variant<std::monostate, Evidence, TrainedRisk> detail_;
};

/// An initialisation with the scores it has. A score that was not computed is absent.
struct Candidate {
  Initialisation start = {};
  std::vector<std::pair<std::string, Score>> scores = {};  // by the name of the criterion

  const Score* find(std::string_view criterion) const;  // null: not judged by it
  void set(std::string_view criterion, Score score);

  /// The pair that all layers share; Error(usage) where they differ.
  LayerPrior pair() const;
  /// The figures of the two criteria of the library; Error(usage) where they were not computed.
  const Evidence& evidence() const;
  const TrainedRisk& risk() const;
  bool has_evidence() const { return find("evidence") != nullptr; }
  bool has_risk() const { return find("trained-risk") != nullptr; }
};

/// Noise of the evidence.
struct NoiseChoice {
  enum class Kind {
    automatic,  // 1e-6 where the evidence is searched over a grid, as the paper does; fitted otherwise
    fitted,     // the best within bounds, for each initialisation its own
    fixed,
  };
  Kind kind = Kind::automatic;
  double value = 0.0;           // where it is fixed; >= 0
  Bounds bounds = {1e-8, 1.0};  // where it is fitted; 0 < lower < upper

  static NoiseChoice fit(const Bounds& bounds = {1e-8, 1.0}) { return {Kind::fitted, 0.0, bounds}; }
  static NoiseChoice at(double value) { return {Kind::fixed, value}; }
};

/// What a search cost. One equivalent: the time of one Cholesky factorisation of the whole sample.
struct SearchCost {
  Index factorizations = 0;  // of any size
  Index gradients = 0;
  Index reductions = 0;      // EvidenceEngine::profile
  double equivalents = 0.0;  // each in proportion to the cube of its size; a gradient 2.5 on top, a reduction 5
};

/// What the criteria of the library can be told.
struct CriterionOptions {
  NoiseChoice noise = NoiseChoice::fit();  // of the evidence; fitted or fixed
  EvidenceOptions evidence = {};
  bool leave_one_out = false;  // the evidence's leave-one-out density in every judgement
  TrainedRiskOptions risk = {};
  Index risk_samples = 1000;  // at most so many samples are used to predict what training does
};

/// A sample and what is asked of it. Views: what they show must outlive the criterion.
struct CriterionInputs {
  MatrixView inputs;                    // samples × features
  MatrixView targets;                   // samples × outputs
  const std::vector<int>* labels = {};  // samples; null for regression
  NetworkSpec network = {};
  CriterionOptions options = {};  // each criterion reads its own
};

class Criterion {
 public:
  virtual ~Criterion() = default;

  virtual std::string_view name() const = 0;
  /// Data-dependent failure is a failed score. Long work reports to `context`.
  virtual Score judge(const Initialisation& start, const RunContext& context) = 0;
  /// The same with figures that cost more: for what is recommended, and what it is compared with.
  virtual Score judge_in_full(const Initialisation& start, const RunContext& context) { return judge(start, context); }
  /// Index of the candidate to recommend. All have been judged; those whose score failed are not chosen. Unless a
  /// criterion has a rule of its own, the best. Throws Error(numerical) when every score failed.
  virtual std::size_t prefer(const std::vector<Candidate>& candidates) const;
  /// The rule of prefer() in words, where it is not simply the best score.
  virtual std::string rule() const { return {}; }
  /// Gradients and all that a continuous search uses; null: a grid is searched, and refined without.
  virtual internal::SmoothCriterion* smooth() { return nullptr; }
};

struct CriterionInfo {
  std::string name;  // lower case, words joined by hyphens
  std::string unit = {};
  bool larger_is_better = true;
  bool has_gradient = false;  // smooth() is not null, so that the maximum itself can be searched for
  std::string summary = {};   // for help: what it prefers, in half a sentence
  std::function<std::unique_ptr<Criterion>(const CriterionInputs&)> make = {};
  // How many rows it judges on at most; empty: as many as RecommendOptions::rows_used_whole says.
  std::function<Index(const CriterionOptions&)> most_rows = {};
};

/// Adds a criterion, or replaces the one of the same name. Not while another thread uses criteria.
void register_criterion(CriterionInfo info);
/// In the order of registration, the library's own first.
const std::vector<CriterionInfo>& known_criteria();
/// Throws Error(usage) with the nearest match.
const CriterionInfo& find_criterion(std::string_view name);

}  // namespace priorfit

// Every sentence about a recommendation, once. The terminal prints them, the JSON carries them, the page shows them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/signal.hpp"
#include "render/advice.hpp"
#include "render/figures.hpp"
#include "support/text.hpp"

namespace priorfit {
namespace internal {
namespace {

class Writer {
 public:
  explicit Writer(const Recommendation& r) : r_(r) {}

  std::vector<Sentence> write() {
    if (r_.advice) return advice_sentences(r_);
    answer();
    score();
    bounds();
    flat();
    convergence();
    rule();
    disagreement();
    depth();
    optima();
    growth();
    search();
    return std::move(sentences_);
  }

 private:
  void say(const char* kind, std::string text) { sentences_.push_back({kind, std::move(text)}); }

  const Estimate* estimate(const std::string& name) const {
    if (!r_.continuous()) return nullptr;
    for (const Estimate& estimate : r_.continuous()->estimates) {
      if (estimate.name == name) return &estimate;
    }
    return nullptr;
  }

  std::string interval_text(const std::string& name) const {
    const Estimate* known = estimate(name);
    if (!known || !known->interval) return {};
    return fmt::format(", 95 % {:.4g} to {:.4g}", known->interval->lower, known->interval->upper);
  }

  void answer() {
    const Initialisation& start = r_.chosen.start;
    if (r_.family != FamilyKind::per_layer && (start.pair() || start.own_output())) {
      const LayerPrior& pair = start.layers.front();
      say("answer", fmt::format("σ_w² = {:.5g} (weights: standard deviation {:.4g}/√fan_in){}", pair.weight_variance,
                                std::sqrt(pair.weight_variance), interval_text("weight_variance")));
      say("answer", fmt::format("σ_b² = {:.5g} (biases: standard deviation {:.4g}){}", pair.bias_variance,
                                std::sqrt(pair.bias_variance), interval_text("bias_variance")));
      if (const auto output = start.own_output()) {
        say("answer", fmt::format("output layer: σ_w² = {:.5g}, no bias", *output));
      }
      return;
    }
    for (std::size_t l = 0; l < start.layers.size(); ++l) {
      const std::string key = l + 1 < start.layers.size() ? fmt::format("layer{}", l + 1) : std::string("output");
      const std::string name =
          l + 1 < start.layers.size() ? fmt::format("layer {}", l + 1) : std::string("output layer");
      const LayerPrior& layer = start.layers[l];
      say("answer", fmt::format("{}: σ_w² = {:.5g}{}; σ_b² = {:.5g}{}", name, layer.weight_variance,
                                interval_text(key + ".weight_variance"), layer.bias_variance,
                                interval_text(key + ".bias_variance")));
    }
  }

  void score() {
    const Score* score = r_.chosen.find(r_.criterion);
    if (r_.chosen.has_evidence()) {
      const Evidence& evidence = r_.chosen.evidence();
      if (r_.noise_fitted) {
        say("score",
            fmt::format("with noise variance {:.4g}{}", evidence.noise_variance, interval_text("noise_variance")));
      }
      std::string text = fmt::format("{} nats, {:.4f} per target value", nats_text(evidence.log_marginal_likelihood),
                                     evidence.per_value);
      if (std::isfinite(evidence.leave_one_out)) {
        const double values = static_cast<double>(r_.data.samples * r_.data.outputs);
        text += fmt::format("; leave-one-out {} nats, {:.4f} per value", nats_text(evidence.leave_one_out),
                            evidence.leave_one_out / values);
      }
      say("score", text);
      if (evidence.status == EvidenceStatus::jittered) say("score", "† " + evidence.remark());
    } else if (score && score->ok() && !score->risk()) {
      const std::string unit = find_criterion(r_.criterion).unit;
      say("score", fmt::format("{} {:.5g}{}{}", r_.criterion, score->value(), unit.empty() ? "" : " ", unit));
    }
  }

  /// The argument that would let the search see beyond a bound.
  std::string argument_of(const BoundReached& bound, bool grid) const {
    const bool weight = bound.name.find("weight") != std::string::npos;
    if (bound.name == "noise_variance") return argument(r_, "noise_bounds");
    if (!grid) return argument(r_, weight ? "weight_bounds" : "bias_bounds");
    if (bound.name == "output_weight_variance") return argument(r_, "output_weight_variances");
    return argument(r_, weight ? "weight_variances" : "bias_variances");
  }

  void bounds() {
    for (const BoundReached& bound : r_.at_bound) {
      const std::string name = symbol(bound.name);
      const std::string noun = bound.name == "output_weight_variance" ? "σ_w² of the output layer" : name;
      if (!bound.slope) {
        say("bound", bound.natural
                         ? fmt::format("{} = 0 is the smallest value there is; the data asks for no bias.", name)
                         : fmt::format("The best cell lies on the edge of the grid: a {} {} may be better still. "
                                       "Widen {} {}.",
                                       bound.upper ? "larger" : "smaller", noun, argument_of(bound, true),
                                       bound.upper ? "upwards" : "downwards"));
        continue;
      }
      const std::string rate =
          fmt::format("the evidence {} by {} nats per unit of {} there", *bound.slope < 0 ? "falls" : "rises",
                      nats_text(std::abs(*bound.slope)), name);
      say("bound", bound.natural
                       ? fmt::format("{} = 0 is the smallest value there is; {}.", name, rate)
                       : fmt::format("{} = {:.4g} lies on its {} bound; {}. Widen {} to see beyond.", name, bound.value,
                                     bound.upper ? "upper" : "lower", rate, argument_of(bound, false)));
    }
  }

  void flat() {
    if (!r_.continuous()) return;
    const ContinuousTrace& trace = *r_.continuous();
    if (r_.family == FamilyKind::per_layer && !trace.flat_directions.empty()) {
      for (const std::string& direction : trace.flat_directions) {
        say("flat",
            fmt::format("The data cannot tell these apart: {}. Of all such starts the one whose layers are most "
                        "alike is given.",
                        direction));
      }
      return;
    }
    for (const Estimate& estimate : trace.estimates) {
      if (!estimate.flat) continue;
      say("flat",
          fmt::format("The evidence hardly depends on {}: no interval can be given, and other values do as well.",
                      symbol(estimate.name)));
    }
  }

  void convergence() {
    if (r_.continuous() && !r_.continuous()->converged) {
      say("convergence",
          "The search stopped at its limit of evaluations before it converged: the maximum may lie a little "
          "further.");
    }
  }

  void rule() {
    if (r_.rule.empty()) return;
    std::string text = "Rule: " + r_.rule;
    if (r_.grid() && r_.grid()->least) {
      const Candidate& least = *r_.grid()->least;
      text += fmt::format(
          " The least: {}, {}.", to_string(least.start),
          least.has_risk() ? prediction_text(least.risk()) : fmt::format("{:.5g}", least.find(r_.criterion)->value()));
    }
    say("rule", text);
  }

  /// Whether what explains the data best is also predicted to train best.
  void disagreement() {
    if (!r_.chosen.has_risk() || !r_.chosen.risk().ok() || r_.criterion != "evidence") return;
    const Candidate* best = nullptr;
    for (const Candidate& baseline : r_.baselines) {
      if (!baseline.has_risk() || !baseline.risk().ok()) continue;
      if (!best || baseline.risk().loss() < best->risk().loss()) best = &baseline;
    }
    if (!best || best->risk().loss() >= r_.chosen.risk().loss()) return;
    say("disagreement",
        fmt::format(
            "The two criteria disagree: the start that explains the data best is not the one predicted to train "
            "best. Training from {} is predicted to reach {}, from the recommended start {}. {} trained-risk "
            "chooses by that.",
            baseline_label(*best), prediction_text(best->risk()), prediction_text(r_.chosen.risk()),
            argument(r_, "criterion")));
  }

  /// When the network is deeper than a signal travels.
  void depth() {
    const auto pair = r_.chosen.start.hidden_pair();
    if (!pair) return;
    const SignalPropagation signal = signal_propagation(r_.network.activation, *pair);
    if (static_cast<double>(r_.network.depth()) <= signal.reach()) return;
    const auto critical = critical_point(r_.network.activation, pair->bias_variance);
    std::string text = fmt::format("A signal from the recommended pair crosses {:.0f} of the {} layers", signal.reach(),
                                   r_.network.depth());
    if (critical) {
      text +=
          fmt::format("; at σ_b² = {:.4g} the phases change at σ_w² = {:.4g}", pair->bias_variance, critical->turns_at);
    }
    say("depth", text + ".");
  }

  void optima() {
    if (!r_.continuous()) return;
    const std::vector<LocalOptimum>& optima = r_.continuous()->optima;
    for (std::size_t i = 1; i < optima.size(); ++i) {
      const Candidate& other = optima[i].candidate;
      if (!other.has_evidence()) continue;
      say("optimum", fmt::format("Another local maximum: {}, noise {:.3g}, {:.4f} nats per target value at {} samples",
                                 to_string(other.start), other.evidence().noise_variance, other.evidence().per_value,
                                 optima[i].samples));
    }
  }

  void growth() {
    if (!r_.continuous() || !r_.continuous()->growth) return;
    const Growth& growth = *r_.continuous()->growth;
    if (growth.settled) {
      say("growth",
          fmt::format("Settled: the pair moves by less than {:g} (in the logarithms) between sizes and subsets.",
                      growth.tolerance));
    } else if (growth.ended_by == "time limit") {
      say("growth",
          fmt::format("Not settled within {:g} (in the logarithms) when the time limit was reached; {} gives it "
                      "longer.",
                      growth.tolerance, argument(r_, "time_limit")));
    } else {
      say("growth", fmt::format("Not settled within {:g} (in the logarithms) with all rows used.", growth.tolerance));
    }
  }

  void search() {
    if (!r_.continuous()) return;
    const SearchCost& cost = r_.cost;
    const Index starts = r_.continuous()->starts;
    const std::string reductions =
        cost.reductions ? fmt::format(" and {} reduction{}", cost.reductions, cost.reductions == 1 ? "" : "s")
                        : std::string();
    say("search",
        fmt::format("Search: {} start{}, {} factorisations with {} gradients{}; worth {:.1f} factorisations of {} "
                    "samples",
                    starts, starts == 1 ? "" : "s", cost.factorizations, cost.gradients, reductions, cost.equivalents,
                    r_.data.samples));
  }

  const Recommendation& r_;
  std::vector<Sentence> sentences_;
};

}  // namespace
}  // namespace internal

std::vector<Sentence> sentences(const Recommendation& recommendation) {
  return internal::Writer(recommendation).write();
}

}  // namespace priorfit

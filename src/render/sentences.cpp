#include "recommend/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "priorfit/signal.hpp"

namespace priorfit {
namespace {

std::string_view symbol(Parameter parameter) {
  constexpr std::string_view symbols[] = {"σ_w²", "σ_b²", "σ_n²"};
  return symbols[static_cast<int>(parameter)];
}

std::string_view flag(Parameter parameter) {
  constexpr std::string_view flags[] = {"weight", "bias", "noise"};
  return flags[static_cast<int>(parameter)];
}

double place(const EvidenceCell& cell, Parameter parameter) {
  const double places[] = {cell.prior.weight_variance, cell.prior.bias_variance, cell.evidence.noise_variance};
  return places[static_cast<int>(parameter)];
}

std::string label(const Baseline& baseline) {
  if (baseline.name == "PyTorch") return "PyTorch's default";
  return baseline.name == "Glorot" ? "Glorot, Keras's default" : baseline.name;
}

std::string interval_text(const Recommendation& r, Parameter parameter) {
  const auto& interval = r.intervals[static_cast<std::size_t>(parameter)];
  return interval ? fmt::format(", 95 % {:.4g} to {:.4g}", interval->lower, interval->upper) : std::string();
}

std::string grid_bound_line(const BoundReached& bound) {
  if (bound.natural) {
    return fmt::format("{} = 0 is the smallest value there is; the data asks for no bias.\n", symbol(bound.parameter));
  }
  return fmt::format(
      "The best cell lies on the edge of the grid: a {} {} may be better still. Widen --{}-variances {}.\n",
      bound.upper ? "larger" : "smaller", symbol(bound.parameter), flag(bound.parameter),
      bound.upper ? "upwards" : "downwards");
}

std::string continuous_bound_line(const BoundReached& bound, double value) {
  const double slope = *bound.slope;
  const std::string rate = fmt::format("the evidence {} by {} nats per unit of {} there", slope < 0 ? "falls" : "rises",
                                       nats_text(std::abs(slope)), symbol(bound.parameter));
  if (bound.natural) return fmt::format("{} = 0 is the smallest value there is; {}.\n", symbol(bound.parameter), rate);
  return fmt::format("{} = {:.4g} lies on its {} bound; {}. Widen --{}-bounds to see beyond.\n",
                     symbol(bound.parameter), value, bound.upper ? "upper" : "lower", rate, flag(bound.parameter));
}

}  // namespace

std::string nats_text(double value) {
  if (!std::isfinite(value)) return "—";
  std::string text = fmt::format("{:.1f}", std::abs(value));
  for (auto at = static_cast<std::ptrdiff_t>(text.find('.')) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return (value < 0 ? "-" : "") + text;
}

std::string assumption_lines(const Recommendation& r) {
  const std::string noise = r.noise_fitted ? "noise variance fitted"
                                           : fmt::format("noise variance {:g}", r.recommended.evidence.noise_variance);
  return fmt::format("{}\nnetwork: depth {}, {}; {}\n", data_sentence(r.data), r.network.depth(),
                     r.network.activation.name(), noise);
}

std::string answer_lines(const Recommendation& r) {
  const EvidenceCell& best = r.best();
  std::string text = fmt::format(
      "Recommended: σ_w² = {:.5g} (weights: standard deviation {:.4g}/√fan_in){}\n"
      "             σ_b² = {:.5g} (biases: standard deviation {:.4g}){}\n",
      best.prior.weight_variance, std::sqrt(best.prior.weight_variance), interval_text(r, Parameter::weight_variance),
      best.prior.bias_variance, std::sqrt(best.prior.bias_variance), interval_text(r, Parameter::bias_variance));
  if (best.prior.output_weight_variance) {
    text += fmt::format("             output layer: σ_w² = {:.5g}, no bias\n", *best.prior.output_weight_variance);
  }
  if (r.noise_fitted) {
    text += fmt::format("             with noise variance {:.4g}{}\n", best.evidence.noise_variance,
                        interval_text(r, Parameter::noise_variance));
  }
  text += fmt::format("             {} nats, {:.4f} per target value", nats_text(best.evidence.log_marginal_likelihood),
                      best.evidence.per_value);
  if (std::isfinite(best.evidence.leave_one_out)) {
    const double values = static_cast<double>(r.data.samples * r.data.outputs);
    text += fmt::format("; leave-one-out {} nats, {:.4f} per value", nats_text(best.evidence.leave_one_out),
                        best.evidence.leave_one_out / values);
  }
  text += "\n";
  if (!r.is_grid() && best.evidence.status != EvidenceStatus::ok) text += "† " + best.evidence.remark() + "\n";
  return text;
}

std::string bound_lines(const Recommendation& r) {
  std::string text;
  for (const BoundReached& bound : r.at_bound) {
    text += bound.slope ? continuous_bound_line(bound, place(r.best(), bound.parameter)) : grid_bound_line(bound);
  }
  for (const Parameter parameter : r.flat) {
    text += fmt::format("The evidence hardly depends on {}: no interval can be given, and other values do as well.\n",
                        symbol(parameter));
  }
  return text;
}

std::string baseline_lines(const Recommendation& r) {
  std::vector<std::string> heads;
  std::size_t widest = 0;
  for (const Baseline& baseline : r.baselines) {
    const LayerPrior& prior = baseline.cell.prior;
    heads.push_back(baseline.is_pair
                        ? fmt::format("{} ({:.4g}, {:g})", baseline.name, prior.weight_variance, prior.bias_variance)
                        : label(baseline));
    if (r.noise_fitted) heads.back() += fmt::format(", noise {:.3g}", baseline.cell.evidence.noise_variance);
    widest = std::max(widest, heads.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Evidence& evidence = r.baselines[i].cell.evidence;
    const double gain = r.gain_over(r.baselines[i]);
    text += fmt::format("  {:<{}}  ", heads[i], widest);
    if (!evidence.ok()) {
      text += evidence.remark();
    } else if (gain == 0 && r.baselines[i].is_pair && r.baselines[i].cell.prior == r.best().prior) {
      text += "is the recommended pair itself";
    } else {
      text += fmt::format("{} nats, {} nats {} the recommended pair", nats_text(evidence.log_marginal_likelihood),
                          nats_text(std::abs(gain)), gain > 0 ? "below" : "above");
      if (std::isfinite(evidence.leave_one_out))
        text += fmt::format("; leave-one-out {}", nats_text(evidence.leave_one_out));
    }
    text += "\n";
  }
  return text;
}

namespace {

/// When the network is deeper than a signal travels.
std::string depth_warning(const Recommendation& r) {
  const LayerPrior& best = r.best().prior;
  const SignalPropagation signal = signal_propagation(r.network.activation, best);
  if (static_cast<double>(r.network.depth()) <= signal.reach()) return {};
  const auto critical = critical_point(r.network.activation, best.bias_variance);
  return fmt::format(
      "A signal from the recommended pair crosses {:.0f} of the {} layers{}.\n", signal.reach(), r.network.depth(),
      critical
          ? fmt::format("; at σ_b² = {:.4g} the phases change at σ_w² = {:.4g}", best.bias_variance, critical->turns_at)
          : "");
}

}  // namespace

std::string signal_lines(const Recommendation& r) {
  const auto line = [&](const std::string& name, const LayerPrior& prior) {
    const SignalPropagation signal = signal_propagation(r.network.activation, prior);
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("∞");
    };
    return fmt::format("  {:<12} {}: q* = {}, χ₁ = {}, ξ = {} layers\n", name, to_string(signal.phase),
                       number(signal.fixed_point), number(signal.chi), number(signal.depth_scale));
  };
  std::string text = "Signal through many layers of the same pair\n" + line("recommended", r.best().prior);
  for (const Baseline& baseline : r.baselines) {
    if (baseline.name == "He") text += line("He", baseline.cell.prior);
  }
  return text + depth_warning(r);
}

std::string error_text(double error) {
  return std::abs(error) < 1000 ? fmt::format("{:.4f}", error) : fmt::format("{:.3g}", error);
}

namespace {

constexpr int name_width = 36;

std::string trained_row(const std::string& name, const TrainedRisk& risk) {
  if (!risk.ok()) return fmt::format("  {:<{}}  {}\n", name, name_width, risk.failure);
  std::string text =
      fmt::format("  {:<{}}  {} ± {}   {:>8} {:>8}", name, name_width, error_text(risk.error),
                  error_text(risk.standard_error), error_text(risk.data_error), error_text(risk.initialisation_error));
  if (risk.accuracy) text += fmt::format("   {:.1f} %", 100 * *risk.accuracy);
  return text + "\n";
}

std::string prediction_text(const TrainedRisk& risk) {
  return risk.accuracy ? fmt::format("{:.1f} %", 100 * *risk.accuracy) : "squared error " + error_text(risk.error);
}

/// Whether the two criteria would choose differently, and what that is predicted to cost.
std::string disagreement(const Recommendation& r) {
  if (r.least_risk && r.most_evidence && r.most_evidence->risk && r.most_evidence->risk->ok()) {
    const EvidenceCell& by_risk = r.criterion == Criterion::trained_risk ? r.recommended : *r.least_risk;
    if (by_risk.prior == r.most_evidence->prior) return {};
    return fmt::format(
        "The two criteria disagree: the evidence prefers {}, from where training is predicted to reach {}; "
        "trained-risk prefers {}, predicted to reach {}.\n",
        to_string(r.most_evidence->prior), prediction_text(*r.most_evidence->risk), to_string(by_risk.prior),
        prediction_text(*by_risk.risk));
  }
  if (!r.recommended.risk || !r.recommended.risk->ok()) return {};
  const Baseline* best = nullptr;
  for (const Baseline& baseline : r.baselines) {
    if (!baseline.cell.risk || !baseline.cell.risk->ok()) continue;
    if (!best || baseline.cell.risk->loss() < best->cell.risk->loss()) best = &baseline;
  }
  if (!best || best->cell.risk->loss() >= r.recommended.risk->loss()) return {};
  return fmt::format(
      "The pair that explains the data best is not the one to train from best: from {} training is predicted "
      "to reach {}, from the recommended pair {}. --criterion trained-risk chooses by that.\n",
      label(*best), prediction_text(*best->cell.risk), prediction_text(*r.recommended.risk));
}

}  // namespace

std::string trained_lines(const Recommendation& r) {
  if (!r.recommended.risk) return {};
  std::string text = fmt::format(
      "Predicted of networks of width {} trained {}, from {} samples (ridge {:g} of Θ's mean diagonal)\n"
      "  {:<{}}  {:<17} {:>9} {:>8}{}\n",
      r.network.hidden_widths.front(),
      r.risk_options.time
          ? fmt::format("by gradient descent, {:g} steps of rate {:g}", r.risk_options.time->steps,
                        r.risk_options.time->learning_rate)
          : fmt::format("to the end by {}", r.risk_options.optimizer == Optimizer::adam ? "Adam" : "gradient descent"),
      r.risk_samples, r.risk_options.time ? 0.0 : r.risk_options.ridge, "", name_width, "squared error", "of data",
      "of start", r.recommended.risk->accuracy ? "   accuracy" : "");
  text += trained_row("recommended " + to_string(r.recommended.prior), *r.recommended.risk);
  for (const Baseline& baseline : r.baselines) {
    if (baseline.cell.risk) text += trained_row(label(baseline), *baseline.cell.risk);
  }
  if (r.criterion == Criterion::trained_risk) {
    text += fmt::format(
        "Rule: of all points whose {} is within {:g} % of the least, the one closest to He's pair, because it\n"
        "trains faster.",
        r.recommended.risk->accuracy ? "share of wrong classes" : "error",
        100 * preference_tolerance(*r.recommended.risk));
    if (r.least_risk && r.least_risk->prior != r.recommended.prior) {
      text += fmt::format(" The least: {}, {}.", to_string(r.least_risk->prior), prediction_text(*r.least_risk->risk));
    }
    text += "\n";
  }
  return text + disagreement(r);
}

std::string search_lines(const Recommendation& r) {
  if (r.is_grid()) return {};
  std::string text;
  for (std::size_t i = 1; i < r.optima.size(); ++i) {
    const LocalOptimum& other = r.optima[i];
    text += fmt::format(
        "Another local maximum: ({:.4g}, {:.4g}), noise {:.3g}, {:.4f} nats per target value at {} samples\n",
        other.cell.prior.weight_variance, other.cell.prior.bias_variance, other.cell.evidence.noise_variance,
        other.cell.evidence.per_value, other.samples);
  }
  const SearchCost& cost = r.cost;
  text += fmt::format(
      "Search: {} start{}, {} factorisations with {} gradients{}; worth {:.1f} factorisations of {} samples\n",
      r.starts, r.starts == 1 ? "" : "s", cost.factorizations, cost.gradients,
      cost.reductions ? fmt::format(" and {} reduction{}", cost.reductions, cost.reductions == 1 ? "" : "s")
                      : std::string(),
      cost.equivalents, r.data.samples);
  return text;
}

std::string growth_lines(const Recommendation& r) {
  if (!r.growth) return {};
  std::string text = "Samples   σ_w² of each subset           σ_b²                          spread   moved\n";
  for (const GrowthStep& step : r.growth->steps) {
    std::string weights, biases;
    for (const EvidenceCell& cell : step.optima) {
      weights += fmt::format("{:.3g} ", cell.prior.weight_variance);
      biases += fmt::format("{:.3g} ", cell.prior.bias_variance);
    }
    text += fmt::format("{:>7}   {:<28}  {:<28}  {:>6.3f}  {:>6}\n", step.samples, weights, biases, step.spread,
                        step.moved ? fmt::format("{:.3f}", *step.moved) : "");
  }
  const char* verdict =
      r.growth->settled ? "Settled: the pair moves by less than {:g} (in the logarithms) between sizes and subsets.\n"
      : r.growth->ended_by == "time limit" ? "Not settled within {:g} (in the logarithms) when the time limit was "
                                             "reached; --time-limit gives it longer.\n"
                                           : "Not settled within {:g} (in the logarithms) with all rows used.\n";
  return text + fmt::format(fmt::runtime(verdict), r.growth->tolerance);
}

}  // namespace priorfit

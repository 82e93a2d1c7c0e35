#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/signal.hpp"
#include "render/figures.hpp"
#include "render/grid_table.hpp"

namespace priorfit {
namespace internal {
namespace {

std::string assumption_lines(const Recommendation& r) {
  std::string noise;
  if (r.chosen.has_evidence()) {
    noise = r.noise_fitted ? "; noise variance fitted"
                           : fmt::format("; noise variance {:g}", r.chosen.evidence().noise_variance);
  }
  return fmt::format("{}\nnetwork: depth {}, {}{}\n", data_sentence(r.data), r.network.depth(),
                     r.network.activation.name(), noise);
}

/// The sentences of some kinds, one per line, in the order they were written.
std::string lines_of(const std::vector<Sentence>& all, std::initializer_list<std::string_view> kinds) {
  std::string text;
  for (const Sentence& sentence : all) {
    if (std::find(kinds.begin(), kinds.end(), sentence.kind) != kinds.end()) text += sentence.text + "\n";
  }
  return text;
}

std::string answer_lines(const std::vector<Sentence>& all) {
  std::string text;
  for (const Sentence& sentence : all) {
    if (sentence.kind != "answer" && sentence.kind != "score") continue;
    text += (text.empty() ? "Recommended: " : "             ") + sentence.text + "\n";
  }
  return text;
}

std::string baseline_lines(const Recommendation& r) {
  std::vector<std::string> heads;
  std::size_t widest = 0;
  for (const Candidate& baseline : r.baselines) {
    if (!baseline.has_evidence()) return {};
    const auto pair = equivalent_pair(baseline.start, r.network);
    heads.push_back(
        pair ? fmt::format("{} ({:.4g}, {:g})", baseline_name(baseline), pair->weight_variance, pair->bias_variance)
             : baseline_label(baseline));
    if (r.noise_fitted) heads.back() += fmt::format(", noise {:.3g}", baseline.evidence().noise_variance);
    widest = std::max(widest, heads.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Candidate& baseline = r.baselines[i];
    const Evidence& evidence = baseline.evidence();
    const auto gain = r.gain_over(baseline);
    text += fmt::format("  {:<{}}  ", heads[i], widest);
    if (!evidence.ok()) {
      text += evidence.remark();
    } else if (baseline.start.layers == r.chosen.start.layers) {
      text += "is the recommended pair itself";
    } else {
      text += nats_text(evidence.log_marginal_likelihood) + " nats";
      if (gain)
        text +=
            fmt::format(", {} nats {} the recommended pair", nats_text(std::abs(*gain)), *gain > 0 ? "below" : "above");
      if (std::isfinite(evidence.leave_one_out)) text += "; leave-one-out " + nats_text(evidence.leave_one_out);
    }
    text += "\n";
  }
  return text;
}

constexpr int name_width = 36;

std::string trained_row(const std::string& name, const TrainedRisk& risk) {
  if (!risk.ok()) return fmt::format("  {:<{}}  {}\n", name, name_width, risk.failure);
  std::string text =
      fmt::format("  {:<{}}  {} ± {}   {:>8} {:>8}", name, name_width, error_text(risk.error),
                  error_text(risk.standard_error), error_text(risk.data_error), error_text(risk.initialisation_error));
  if (risk.accuracy) text += fmt::format("   {:.1f} %", 100 * *risk.accuracy);
  return text + "\n";
}

std::string trained_lines(const Recommendation& r) {
  if (!r.chosen.has_risk()) return {};
  const TrainedRiskOptions& options = r.risk_options;
  const std::string how =
      options.time
          ? fmt::format("by gradient descent, {:g} steps of rate {:g}", options.time->steps,
                        options.time->learning_rate)
          : fmt::format("to the end by {}", options.optimizer == Optimizer::adam ? "Adam" : "gradient descent");
  std::string text = fmt::format(
      "Predicted of networks of width {} trained {}, from {} samples (ridge {:g} of Θ's mean diagonal)\n"
      "  {:<{}}  {:<17} {:>9} {:>8}{}\n",
      r.network.widths_text(), how, r.risk_samples, options.time ? 0.0 : options.ridge, "", name_width, "squared error",
      "of data", "of start", r.chosen.risk().accuracy ? "   accuracy" : "");
  text += trained_row("recommended " + to_string(r.chosen.start), r.chosen.risk());
  for (const Candidate& baseline : r.baselines) {
    if (baseline.has_risk()) text += trained_row(baseline_label(baseline), baseline.risk());
  }
  return text;
}

/// Scores of criteria that the library does not know.
std::string other_lines(const Recommendation& r) {
  std::string text;
  for (const auto& [name, score] : r.chosen.scores) {
    if (score.evidence() || score.risk()) continue;
    const auto value = [](const Score& s) { return s.ok() ? fmt::format("{:.5g}", s.value()) : s.failure(); };
    text +=
        fmt::format("{}\n  {:<{}}  {}\n", name, "recommended " + to_string(r.chosen.start), name_width, value(score));
    for (const Candidate& baseline : r.baselines) {
      if (const Score* its = baseline.find(name)) {
        text += fmt::format("  {:<{}}  {}\n", baseline_label(baseline), name_width, value(*its));
      }
    }
  }
  return text;
}

std::string signal_lines(const Recommendation& r) {
  const auto pair = r.chosen.start.hidden_pair();
  if (!pair) return {};
  const auto line = [&](const std::string& name, const LayerPrior& prior) {
    const SignalPropagation signal = signal_propagation(r.network.activation, prior);
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("∞");
    };
    return fmt::format("  {:<12} {}: q* = {}, χ₁ = {}, ξ = {} layers\n", name, to_string(signal.phase),
                       number(signal.fixed_point), number(signal.chi), number(signal.depth_scale));
  };
  return "Signal through many layers of the same pair\n" + line("recommended", *pair) + line("He", {2.0, 0.0});
}

std::string growth_table(const Recommendation& r, const char* row_format) {
  std::string text;
  for (const GrowthStep& step : r.continuous()->growth->steps) {
    std::string weights, biases;
    for (const Candidate& candidate : step.optima) {
      weights += fmt::format("{:.3g} ", candidate.start.layers.front().weight_variance);
      biases += fmt::format("{:.3g} ", candidate.start.layers.front().bias_variance);
    }
    text += fmt::format(fmt::runtime(row_format), step.samples, weights, biases, step.spread,
                        step.moved ? fmt::format("{:.3f}", *step.moved) : "");
  }
  return text;
}

bool has_growth(const Recommendation& r) { return r.continuous() && r.continuous()->growth; }

std::string indented(const std::string& lines) {
  std::string text = "    ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) text += "    ";
  }
  return text;
}

std::string paste_section(const Recommendation& r) {
  const PasteLines lines = paste_lines(r.chosen.start);
  return fmt::format("PyTorch\n{}\nKeras\n{}\nFlax\n{}", indented(lines.pytorch), indented(lines.keras),
                     indented(lines.flax));
}

/// What follows the answer, in both forms of text.
std::string findings(const Recommendation& r, const std::vector<Sentence>& all) {
  return lines_of(all, {"bound", "flat", "convergence"}) + baseline_lines(r) + trained_lines(r) + other_lines(r) +
         lines_of(all, {"rule", "disagreement"}) + signal_lines(r) + lines_of(all, {"depth", "optimum", "search"});
}

}  // namespace
}  // namespace internal

std::string to_table(const Recommendation& r) {
  using namespace internal;
  const std::vector<Sentence> all = sentences(r);
  std::string out = assumption_lines(r) + "\n";
  if (r.grid()) out += grid_table(r);
  if (has_growth(r)) {
    out += "Samples   σ_w² of each subset           σ_b²                          spread   moved\n";
    out += growth_table(r, "{:>7}   {:<28}  {:<28}  {:>6.3f}  {:>6}\n") + lines_of(all, {"growth"}) + "\n";
  }
  return out + answer_lines(all) + findings(r, all) + "\n" + paste_section(r);
}

std::string to_markdown(const Recommendation& r) {
  using namespace internal;
  const std::vector<Sentence> all = sentences(r);
  std::string out = assumption_lines(r) + "\n";
  if (r.grid()) out += grid_markdown(r);
  if (has_growth(r)) {
    out += "| samples | σ_w² of each subset | σ_b² of each subset | spread | moved |\n|---:|---|---|---:|---:|\n";
    out += growth_table(r, "| {} | {}| {}| {:.3f} | {} |\n") + "\n" + lines_of(all, {"growth"}) + "\n";
  }
  return out + answer_lines(all) + "\n" + findings(r, all);
}

}  // namespace priorfit

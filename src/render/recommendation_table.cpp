#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/summary.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/signal.hpp"
#include "render/advice.hpp"
#include "render/figures.hpp"
#include "render/grid_table.hpp"
#include "support/text.hpp"
#include "support/word_table.hpp"

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

/// A table with a line above it; one definition for the terminal and for Markdown.
struct Block {
  std::string title;  // may be empty
  WordTable table;
};

std::string text_of(const Block& block) {
  if (block.table.rows.size() < 2) return {};
  return (block.title.empty() ? "" : block.title + "\n") + aligned(block.table);
}

std::string markdown_of(const Block& block) {
  if (block.table.rows.size() < 2) return {};
  return paragraphs(block.title) + markdown(block.table) + "\n";
}

std::vector<std::string> baseline_row(const Recommendation& r, const Candidate& baseline) {
  const auto pair = equivalent_pair(baseline.start, r.network);
  std::vector<std::string> row = {
      pair ? fmt::format("{} ({:.4g}, {:g})", baseline_name(baseline), pair->weight_variance, pair->bias_variance)
           : baseline_label(baseline)};
  const Evidence& evidence = baseline.evidence();
  if (!evidence.ok()) return {row[0], evidence.remark()};
  if (r.noise_fitted) row.push_back(fmt::format("{:.3g}", evidence.noise_variance));
  const auto gain = r.gain_over(baseline);
  row.push_back(nats_text(evidence.log_marginal_likelihood));
  row.push_back(!gain ? ""
                : baseline.start.layers == r.chosen.start.layers
                    ? "the same"
                    : (*gain > 0 ? "-" : "+") + nats_text(std::abs(*gain)));
  row.push_back(std::isfinite(evidence.leave_one_out) ? nats_text(evidence.leave_one_out) : "");
  return row;
}

Block baseline_block(const Recommendation& r) {
  WordTable table{.alignment = "lr", .rows = {{"usual starts"}}};
  if (r.noise_fitted) table.rows[0].push_back("noise");
  for (const char* head : {"nats", "against recommended", "leave-one-out"}) table.rows[0].push_back(head);
  for (const Candidate& baseline : r.baselines) {
    if (!baseline.has_evidence()) return {};
    table.rows.push_back(baseline_row(r, baseline));
  }
  return {"", table};
}

std::vector<std::string> trained_row(const std::string& name, const TrainedRisk& risk) {
  if (!risk.ok()) return {name, risk.failure};
  std::vector<std::string> row = {name, error_text(risk.error) + " ± " + error_text(risk.standard_error),
                                  error_text(risk.data_error), error_text(risk.initialisation_error)};
  if (risk.accuracy) row.push_back(fmt::format("{:.1f} %", 100 * *risk.accuracy));
  return row;
}

Block trained_block(const Recommendation& r) {
  if (!r.chosen.has_risk()) return {};
  const TrainedRiskOptions& options = r.risk_options;
  const std::string how =
      options.time
          ? fmt::format("by gradient descent, {:g} steps of rate {:g}", options.time->steps,
                        options.time->learning_rate)
          : fmt::format("to the end by {}", options.optimizer == Optimizer::adam ? "Adam" : "gradient descent");
  Block block{
      fmt::format("Predicted of networks of width {} trained {}, from {} samples (ridge {:g} of Θ's mean diagonal)",
                  r.network.widths_text(), how, r.risk_samples, options.time ? 0.0 : options.ridge),
      {.alignment = "lr", .rows = {{"start", "squared error", "of data", "of start"}}}};
  if (r.chosen.risk().accuracy) block.table.rows[0].push_back("accuracy");
  block.table.rows.push_back(trained_row("recommended " + to_string(r.chosen.start), r.chosen.risk()));
  for (const Candidate& baseline : r.baselines) {
    if (baseline.has_risk()) block.table.rows.push_back(trained_row(baseline_label(baseline), baseline.risk()));
  }
  return block;
}

/// Scores of criteria that the library does not know.
std::vector<Block> other_blocks(const Recommendation& r) {
  std::vector<Block> blocks;
  for (const auto& [name, score] : r.chosen.scores) {
    if (score.evidence() || score.risk()) continue;
    const auto value = [](const Score& s) { return s.ok() ? fmt::format("{:.5g}", s.value()) : s.failure(); };
    WordTable table{.alignment = "lr", .rows = {{"start", name}}};
    table.rows.push_back({"recommended " + to_string(r.chosen.start), value(score)});
    for (const Candidate& baseline : r.baselines) {
      if (const Score* its = baseline.find(name)) table.rows.push_back({baseline_label(baseline), value(*its)});
    }
    blocks.push_back({"", table});
  }
  return blocks;
}

Block signal_block(const Recommendation& r) {
  const auto pair = r.chosen.start.hidden_pair();
  if (!pair) return {};
  const auto row = [&](const std::string& name, const LayerPrior& prior) -> std::vector<std::string> {
    const SignalPropagation signal = signal_propagation(r.network.activation, prior);
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("∞");
    };
    return {name, std::string(to_string(signal.phase)), number(signal.fixed_point), number(signal.chi),
            number(signal.depth_scale)};
  };
  return {"Signal through many layers of the same pair",
          {.alignment = "llr",
           .rows = {{"start", "phase", "q*", "χ₁", "ξ in layers"}, row("recommended", *pair), row("He", {2.0, 0.0})}}};
}

Block growth_block(const Recommendation& r) {
  WordTable table{.alignment = "rllr",
                  .rows = {{"samples", "σ_w² of each subset", "σ_b² of each subset", "spread", "moved"}}};
  for (const GrowthStep& step : r.continuous()->growth->steps) {
    std::vector<std::string> weights, biases;
    for (const Candidate& candidate : step.optima) {
      weights.push_back(fmt::format("{:.3g}", candidate.start.layers.front().weight_variance));
      biases.push_back(fmt::format("{:.3g}", candidate.start.layers.front().bias_variance));
    }
    table.rows.push_back({fmt::format("{}", step.samples), join(weights, " "), join(biases, " "),
                          fmt::format("{:.3f}", step.spread), step.moved ? fmt::format("{:.3f}", *step.moved) : ""});
  }
  return {"", table};
}

bool has_growth(const Recommendation& r) { return r.continuous() && r.continuous()->growth; }

std::string paste_section(const Recommendation& r) {
  const PasteLines lines = paste_lines(r);
  return fmt::format("PyTorch\n{}\nKeras\n{}\nFlax\n{}", indented(lines.pytorch), indented(lines.keras),
                     indented(lines.flax));
}

/// Every start that was judged, with what is expected of it.
Block all_starts(const Recommendation& r) {
  const Advice& advice = *r.advice;
  WordTable table{.alignment = "lr", .rows = {{"all starts", "predicted error"}}};
  if (advice.pilots) table.rows[0].push_back("by pilots too");
  for (std::size_t i = 0; i < advice.starts.size(); ++i) {
    const Score* score = advice.starts[i].find("trained-risk");
    table.rows.push_back({advice.names[i], score && score->ok() ? error_text(score->risk()->loss()) : "–"});
    if (advice.pilots) {
      table.rows.back().push_back(fmt::format("{:+.0f} % ± {:.0f}", 100 * std::expm1(advice.pilots->expected[i]),
                                              100 * advice.pilots->deviation[i]));
    }
  }
  return {"", table};
}

/// What follows the answer: `block` renders a table, `lines` sentences.
template <typename OfBlock, typename OfLines>
std::string findings(const Recommendation& r, const std::vector<Sentence>& all, OfBlock block, OfLines lines) {
  std::string text =
      lines(lines_of(all, {"bound", "flat", "convergence"})) + block(baseline_block(r)) + block(trained_block(r));
  for (const Block& other : other_blocks(r)) text += block(other);
  return text + lines(lines_of(all, {"rule", "disagreement"})) + block(signal_block(r)) +
         lines(lines_of(all, {"depth", "optimum", "search"}));
}

std::string as_they_are(const std::string& lines) { return lines; }

/// All that is known of one criterion's answer.
std::string criterion_markdown(const Recommendation& r) {
  const std::vector<Sentence> all = sentences(r);
  std::string out = paragraphs(assumption_lines(r));
  if (r.grid()) out += grid_markdown(r);
  if (has_growth(r)) out += markdown_of(growth_block(r)) + paragraphs(lines_of(all, {"growth"}));
  out += "**Recommended**\n\n";
  for (const Sentence& sentence : all) {
    if (sentence.kind == "answer" || sentence.kind == "score") out += "- " + sentence.text + "\n";
  }
  return out + "\n" + findings(r, all, markdown_of, paragraphs);
}

std::string paste_markdown(const Recommendation& r) {
  const PasteLines lines = paste_lines(r);
  const auto block = [](const char* name, const std::string& text) {
    return fmt::format("{}\n\n```python\n{}```\n\n", name, text);
  };
  return block("PyTorch", lines.pytorch) + block("Keras", lines.keras) + block("Flax", lines.flax);
}

}  // namespace
}  // namespace internal

std::string to_table(const Recommendation& r) { return r.advice ? internal::advice_table(r) : to_details(r); }

std::string to_details(const Recommendation& answer) {
  using namespace internal;
  const Recommendation r = about_the_evidence(answer);
  const std::vector<Sentence> all = sentences(r);
  std::string out = assumption_lines(r) + "\n";
  if (r.grid()) out += grid_table(r);
  if (has_growth(r)) out += aligned(growth_block(r).table, 0) + lines_of(all, {"growth"}) + "\n";
  out += answer_lines(all) + "\n" + findings(r, all, text_of, as_they_are);
  if (!answer.advice) return out + "\n" + paste_section(r);
  return advice_table(answer) + "\n" + text_of(all_starts(answer)) + lines_of(advice_sentences(answer), {"rate"}) +
         "\nBy the evidence alone, the paper's criterion\n" + out + "\n" + paste_section(answer);
}

std::string to_markdown(const Recommendation& answer) {
  return answer.advice ? internal::advice_markdown(answer) : internal::criterion_markdown(answer);
}

std::string to_markdown_details(const Recommendation& answer) {
  using namespace internal;
  std::string out = to_markdown(answer);
  if (answer.advice) {
    out += markdown_of(all_starts(answer)) + "By the evidence alone, the paper's criterion\n\n" +
           criterion_markdown(about_the_evidence(answer));
  }
  return out + paste_markdown(answer);
}

}  // namespace priorfit

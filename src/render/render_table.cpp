#include <fmt/format.h>

#include <algorithm>

#include "priorfit/recommend.hpp"
#include "recommend/sentences.hpp"

namespace priorfit {
namespace {

std::string number(double value) { return fmt::format("{:g}", value); }

/// Of an output layer of its own there are several tables, one a variance; else one.
std::size_t layers_of(const Recommendation& r) { return std::max<std::size_t>(1, r.output_weight_variances.size()); }

std::size_t cell_index(const Recommendation& r, std::size_t weight, std::size_t bias, std::size_t output) {
  return (weight * r.bias_variances.size() + bias) * layers_of(r) + output;
}

/// "best", "He", "LeCun" or several of them; empty for an ordinary cell.
std::string marks(const Recommendation& r, std::size_t index) {
  std::string text;
  const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ",") + mark; };
  if (static_cast<Index>(index) == r.best_cell) add(r.criterion == Criterion::evidence ? "best" : "recommended");
  for (const Baseline& baseline : r.baselines) {
    if (baseline.is_pair && baseline.cell.prior == r.grid[index].prior) add(baseline.name);
  }
  return text;
}

std::string cell_text(const Recommendation& r, std::size_t index) {
  const Evidence& evidence = r.grid[index].evidence;
  std::string text = nats_text(evidence.log_marginal_likelihood);
  if (evidence.status == EvidenceStatus::jittered) text += "†";
  if (!evidence.ok()) text = "failed‡";
  if (r.noise_fitted && evidence.ok()) text += fmt::format(" @{:.2g}", evidence.noise_variance);
  const std::string mark = marks(r, index);
  return mark.empty() ? text : fmt::format("{} ({})", text, mark);
}

std::string remarks(const Recommendation& r) {
  std::string text;
  for (const EvidenceCell& cell : r.grid) {
    if (cell.evidence.status == EvidenceStatus::ok) continue;
    text += fmt::format("{} {}: {}\n", cell.evidence.ok() ? "†" : "‡", to_string(cell.prior), cell.evidence.remark());
  }
  return text;
}

std::string indented(const std::string& lines) {
  std::string text = "    ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) text += "    ";
  }
  return text;
}

std::string paste_section(const Recommendation& r) {
  const PasteLines lines = paste_lines(r.best().prior);
  return fmt::format("PyTorch\n{}\nKeras\n{}\nFlax\n{}", indented(lines.pytorch), indented(lines.keras),
                     indented(lines.flax));
}

std::string grid_title(const Recommendation& r, std::size_t output) {
  std::string title =
      r.noise_fitted ? "log marginal likelihood in nats @ best noise variance" : "log marginal likelihood in nats";
  if (!r.output_weight_variances.empty())
    title += fmt::format("; output layer σ_w² = {:g}", r.output_weight_variances[output]);
  return title;
}

std::string risk_text(const Recommendation& r, std::size_t index) {
  const TrainedRisk& risk = *r.grid[index].risk;
  std::string text = !risk.ok() ? "failed" : error_text(risk.error);
  if (risk.accuracy) text += fmt::format(" {:.1f} %", 100 * *risk.accuracy);
  const std::string mark = marks(r, index);
  return mark.empty() ? text : fmt::format("{} ({})", text, mark);
}

using CellText = std::string (*)(const Recommendation&, std::size_t);

std::string grid_lines(const Recommendation& r, std::size_t output, CellText cell_of) {
  std::vector<std::vector<std::string>> texts;  // one row a σ_w²
  std::size_t width = 12;
  for (std::size_t w = 0; w < r.weight_variances.size(); ++w) {
    texts.emplace_back();
    for (std::size_t b = 0; b < r.bias_variances.size(); ++b) {
      texts.back().push_back(cell_of(r, cell_index(r, w, b, output)));
      width = std::max(width, texts.back().back().size() + 2);
    }
  }
  std::string out = fmt::format("{:>10}", "σ_w² \\ σ_b²");
  for (const double bias : r.bias_variances) out += fmt::format("{:>{}}", number(bias), width);
  out += "\n";
  for (std::size_t w = 0; w < texts.size(); ++w) {
    out += fmt::format("{:>11}", number(r.weight_variances[w]));
    for (const std::string& text : texts[w]) out += fmt::format("{:>{}}", text, width);
    out += "\n";
  }
  return out;
}

std::string risk_title(const Recommendation& r) {
  return fmt::format("predicted squared error{} after training", r.grid.front().risk->accuracy ? " and accuracy" : "");
}

std::string grid_table(const Recommendation& r) {
  std::string out;
  for (std::size_t o = 0; o < layers_of(r); ++o) {
    out += grid_title(r, o) + "\n" + grid_lines(r, o, cell_text) + "\n";
    if (r.grid.front().risk) out += risk_title(r) + "\n" + grid_lines(r, o, risk_text) + "\n";
  }
  const std::string notes = remarks(r);
  return notes.empty() ? out : out + notes + "\n";
}

std::string markdown_lines(const Recommendation& r, std::size_t output, CellText cell_of) {
  std::string out = "| σ_w² \\ σ_b² |";
  for (const double bias : r.bias_variances) out += " " + number(bias) + " |";
  out += "\n|---:|";
  for (std::size_t b = 0; b < r.bias_variances.size(); ++b) out += "---:|";
  out += "\n";
  for (std::size_t w = 0; w < r.weight_variances.size(); ++w) {
    out += "| " + number(r.weight_variances[w]) + " |";
    for (std::size_t b = 0; b < r.bias_variances.size(); ++b)
      out += " " + cell_of(r, cell_index(r, w, b, output)) + " |";
    out += "\n";
  }
  return out + "\n";
}

std::string grid_markdown(const Recommendation& r) {
  std::string out;
  for (std::size_t o = 0; o < layers_of(r); ++o) {
    out += grid_title(r, o) + "\n\n" + markdown_lines(r, o, cell_text);
    if (r.grid.front().risk) out += risk_title(r) + "\n\n" + markdown_lines(r, o, risk_text);
  }
  return out + remarks(r);
}

std::string growth_markdown(const Recommendation& r) {
  if (!r.growth) return {};
  std::string out =
      "| samples | σ_w² of each subset | σ_b² of each subset | spread | moved |\n|---:|---|---|---:|---:|\n";
  for (const GrowthStep& step : r.growth->steps) {
    std::string weights, biases;
    for (const EvidenceCell& cell : step.optima) {
      weights += fmt::format("{:.4g} ", cell.prior.weight_variance);
      biases += fmt::format("{:.4g} ", cell.prior.bias_variance);
    }
    out += fmt::format("| {} | {}| {}| {:.3f} | {} |\n", step.samples, weights, biases, step.spread,
                       step.moved ? fmt::format("{:.3f}", *step.moved) : "");
  }
  return out + fmt::format("\n{} (tolerance {:g}).\n\n",
                           r.growth->settled ? "Settled" : "Not settled: " + r.growth->ended_by, r.growth->tolerance);
}

}  // namespace

std::string to_table(const Recommendation& r) {
  std::string out = assumption_lines(r) + "\n";
  if (r.is_grid()) out += grid_table(r);
  if (r.growth) out += growth_lines(r) + "\n";
  return out + answer_lines(r) + bound_lines(r) + baseline_lines(r) + trained_lines(r) + signal_lines(r) +
         search_lines(r) + "\n" + paste_section(r);
}

std::string to_markdown(const Recommendation& r) {
  std::string out = assumption_lines(r) + "\n";
  out += r.is_grid() ? grid_markdown(r) : growth_markdown(r);
  return out + answer_lines(r) + "\n" + bound_lines(r) + baseline_lines(r) + trained_lines(r) + signal_lines(r) +
         search_lines(r);
}

}  // namespace priorfit

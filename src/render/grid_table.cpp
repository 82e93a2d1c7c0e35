#include "render/grid_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/figures.hpp"
#include "support/word_table.hpp"

namespace priorfit::internal {
namespace {

std::string number(double value) { return fmt::format("{:g}", value); }

/// Of an output layer of its own there are several tables, one per variance; else one.
std::size_t slices(const GridTrace& grid) { return std::max<std::size_t>(1, grid.grid.output_weight_variances.size()); }

std::size_t cell_index(const GridTrace& grid, std::size_t weight, std::size_t bias, std::size_t output) {
  return (weight * grid.grid.bias_variances.size() + bias) * slices(grid) + output;
}

/// "best", "He", "LeCun" or several of them; empty for an ordinary cell.
std::string marks(const Recommendation& r, std::size_t index) {
  std::string text;
  const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ",") + mark; };
  if (r.grid()->best == static_cast<Index>(index)) add(r.criterion == "evidence" ? "best" : "recommended");
  for (const Candidate& baseline : r.baselines) {
    if (baseline.start.layers == r.grid()->cells[index].start.layers) add(baseline_name(baseline));
  }
  return text;
}

std::string evidence_text(const Recommendation& r, const Evidence& evidence) {
  if (!evidence.ok()) return "failed‡";
  std::string text = nats_text(evidence.log_marginal_likelihood);
  if (evidence.status == EvidenceStatus::jittered) text += "†";
  if (r.noise_fitted) text += fmt::format(" @{:.2g}", evidence.noise_variance);
  return text;
}

std::string risk_text(const TrainedRisk& risk) {
  if (!risk.ok()) return "failed";
  return risk.accuracy ? fmt::format("{} {:.1f} %", error_text(risk.error), 100 * *risk.accuracy)
                       : error_text(risk.error);
}

std::string cell_text(const Recommendation& r, std::size_t index, const std::string& criterion) {
  const Score& score = *r.grid()->cells[index].find(criterion);
  std::string text = score.evidence() ? evidence_text(r, *score.evidence())
                     : score.risk()   ? risk_text(*score.risk())
                     : score.ok()     ? fmt::format("{:.5g}", score.value())
                                      : std::string("failed");
  const std::string mark = marks(r, index);
  return mark.empty() ? text : fmt::format("{} ({})", text, mark);
}

std::string title(const Recommendation& r, const std::string& criterion, std::size_t output) {
  std::string text = criterion;
  if (criterion == "evidence") {
    text = r.noise_fitted ? "log marginal likelihood in nats @ best noise variance" : "log marginal likelihood in nats";
  } else if (criterion == "trained-risk") {
    const bool accuracy = r.data.task == Task::classification;
    text = fmt::format("predicted squared error{} after training", accuracy ? " and accuracy" : "");
  }
  const std::vector<double>& outputs = r.grid()->grid.output_weight_variances;
  if (!outputs.empty()) text += fmt::format("; output layer σ_w² = {:g}", outputs[output]);
  return text;
}

std::string remarks(const Recommendation& r) {
  std::string text;
  for (const Candidate& cell : r.grid()->cells) {
    if (!cell.has_evidence() || cell.evidence().status == EvidenceStatus::ok) continue;
    text +=
        fmt::format("{} {}: {}\n", cell.evidence().ok() ? "†" : "‡", to_string(cell.start), cell.evidence().remark());
  }
  return text;
}

WordTable slice(const Recommendation& r, const std::string& criterion, std::size_t output) {
  const GridSearch& grid = r.grid()->grid;
  WordTable table{.alignment = "r", .rows = {{"σ_w² \\ σ_b²"}}};
  for (const double bias : grid.bias_variances) table.rows[0].push_back(number(bias));
  for (std::size_t w = 0; w < grid.weight_variances.size(); ++w) {
    table.rows.push_back({number(grid.weight_variances[w])});
    for (std::size_t b = 0; b < grid.bias_variances.size(); ++b) {
      table.rows.back().push_back(cell_text(r, cell_index(*r.grid(), w, b, output), criterion));
    }
  }
  return table;
}

template <typename Render>
std::string all_tables(const Recommendation& r, const char* after_title, Render render) {
  std::string out;
  for (std::size_t o = 0; o < slices(*r.grid()); ++o) {
    for (const auto& [criterion, score] : r.grid()->cells.front().scores) {
      out += title(r, criterion, o) + after_title + render(slice(r, criterion, o)) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string grid_table(const Recommendation& r) {
  const std::string notes = remarks(r);
  const std::string out = all_tables(r, "\n", [](const WordTable& table) { return aligned(table, 0); });
  return notes.empty() ? out : out + notes + "\n";
}

std::string grid_markdown(const Recommendation& r) { return all_tables(r, "\n\n", markdown) + paragraphs(remarks(r)); }

}  // namespace priorfit::internal

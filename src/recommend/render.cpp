#include <fmt/format.h>

#include <cmath>

#include "data/summary.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/version.hpp"
#include "recommend/cell_json.hpp"

namespace priorfit {
namespace {

const EvidenceCell& cell_at(const Recommendation& r, std::size_t weight, std::size_t bias) {
  return r.grid[weight * r.bias_variances.size() + bias];
}

std::string number(double value) { return fmt::format("{:g}", value); }

/// 1234567.89 -> "1,234,567.9"
std::string nats(double value) {
  if (!std::isfinite(value)) return "—";
  std::string text = fmt::format("{:.1f}", std::abs(value));
  for (auto place = static_cast<std::ptrdiff_t>(text.find('.')) - 3; place > 0; place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return (value < 0 ? "-" : "") + text;
}

/// "best", "He", "LeCun" or several of them; empty for an ordinary cell.
std::string marks(const Recommendation& r, const EvidenceCell& cell) {
  std::string text;
  const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ",") + mark; };
  if (&cell == &r.best()) add("best");
  for (const Baseline& baseline : r.baselines) {
    const Prior& prior = baseline.cell.prior;
    if (prior.weight_variance == cell.prior.weight_variance && prior.bias_variance == cell.prior.bias_variance) {
      add(baseline.name);
    }
  }
  return text;
}

std::string cell_text(const Recommendation& r, const EvidenceCell& cell) {
  std::string text = nats(cell.evidence.log_marginal_likelihood);
  if (cell.evidence.status == EvidenceStatus::jittered) text += "†";
  if (!cell.evidence.ok()) text = "failed‡";
  const std::string mark = marks(r, cell);
  return mark.empty() ? text : fmt::format("{} ({})", text, mark);
}

std::string remarks(const Recommendation& r) {
  std::string text;
  for (const EvidenceCell& cell : r.grid) {
    if (cell.evidence.status == EvidenceStatus::ok) continue;
    text += fmt::format("{} ({:g}, {:g}): {}\n", cell.evidence.ok() ? "†" : "‡", cell.prior.weight_variance,
                        cell.prior.bias_variance, cell.evidence.remark());
  }
  return text;
}

std::string symbol(const std::string& parameter) { return parameter == "weight_variance" ? "σ_w²" : "σ_b²"; }

std::string edge_sentences(const Recommendation& r) {
  std::string text;
  for (const GridEdge& edge : r.at_bound) {
    const std::string name = symbol(edge.parameter);
    if (edge.natural) {
      text += fmt::format("{} = 0 is the smallest value there is; the data asks for no bias.\n", name);
      continue;
    }
    text += fmt::format(
        "The best cell lies on the edge of the grid: a {} {} may be better still. Widen --{}s {}.\n",
        edge.upper ? "larger" : "smaller", name, edge.parameter == "weight_variance" ? "weight-variance" : "bias-variance",
        edge.upper ? "upwards" : "downwards");
  }
  return text;
}

std::string gain_sentences(const Recommendation& r) {
  std::string text;
  for (const Baseline& baseline : r.baselines) {
    const Prior& prior = baseline.cell.prior;
    const std::string place = fmt::format("{} ({:g}, {:g})", baseline.name, prior.weight_variance, prior.bias_variance);
    const double gain = r.gain_over(baseline);
    if (!baseline.cell.evidence.ok()) {
      text += fmt::format("  {:<14} {}\n", place, baseline.cell.evidence.remark());
    } else if (gain == 0) {
      text += fmt::format("  {:<14} is the recommended pair itself\n", place);
    } else {
      text += fmt::format("  {:<14} {} nats, {} nats {} the recommended pair\n", place,
                          nats(baseline.cell.evidence.log_marginal_likelihood), nats(std::abs(gain)),
                          gain > 0 ? "below" : "above");
    }
  }
  return text;
}

std::string assumptions(const Recommendation& r) {
  return fmt::format("{}\nnetwork: depth {}, {}; noise variance {:g}\n", data_sentence(r.data), r.network.depth(),
                     r.network.activation.name(), r.noise_variance);
}

std::string answer_sentence(const Recommendation& r) {
  const Prior& best = r.best().prior;
  return fmt::format(
      "Recommended: σ_w² = {:g} (weights: standard deviation {:.4g}/√fan_in), σ_b² = {:g} (biases: standard deviation "
      "{:.4g})\n             {} nats, {:.4f} per target value\n",
      best.weight_variance, std::sqrt(best.weight_variance), best.bias_variance, std::sqrt(best.bias_variance),
      nats(r.best().evidence.log_marginal_likelihood), r.best().evidence.per_value);
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

}  // namespace

std::string to_table(const Recommendation& r) {
  std::vector<std::vector<std::string>> texts;  // one row a σ_w²
  std::size_t width = 12;
  for (std::size_t w = 0; w < r.weight_variances.size(); ++w) {
    texts.emplace_back();
    for (std::size_t b = 0; b < r.bias_variances.size(); ++b) {
      texts.back().push_back(cell_text(r, cell_at(r, w, b)));
      width = std::max(width, texts.back().back().size() + 2);
    }
  }
  std::string out = assumptions(r);
  out += "\nlog marginal likelihood in nats\n";
  out += fmt::format("{:>10}", "σ_w² \\ σ_b²");
  for (const double bias : r.bias_variances) out += fmt::format("{:>{}}", number(bias), width);
  out += "\n";
  for (std::size_t w = 0; w < texts.size(); ++w) {
    out += fmt::format("{:>11}", number(r.weight_variances[w]));
    for (const std::string& text : texts[w]) out += fmt::format("{:>{}}", text, width);
    out += "\n";
  }
  out += remarks(r) + "\n" + answer_sentence(r) + edge_sentences(r) + gain_sentences(r) + "\n" + paste_section(r);
  return out;
}

std::string to_markdown(const Recommendation& r) {
  std::string out = assumptions(r) + "\n| σ_w² \\ σ_b² |";
  for (const double bias : r.bias_variances) out += " " + number(bias) + " |";
  out += "\n|---:|";
  for (std::size_t b = 0; b < r.bias_variances.size(); ++b) out += "---:|";
  out += "\n";
  for (std::size_t w = 0; w < r.weight_variances.size(); ++w) {
    out += "| " + number(r.weight_variances[w]) + " |";
    for (std::size_t b = 0; b < r.bias_variances.size(); ++b) out += " " + cell_text(r, cell_at(r, w, b)) + " |";
    out += "\n";
  }
  return out + "\n" + remarks(r) + answer_sentence(r) + "\n" + edge_sentences(r) + gain_sentences(r);
}

std::string to_csv(const Recommendation& r) {
  std::string out = "weight_variance,bias_variance,noise_variance,log_marginal_likelihood,per_value,jitter,status\n";
  for (const EvidenceCell& cell : r.grid) {
    const Evidence& e = cell.evidence;
    const auto figure = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
    out += fmt::format("{},{},{},{},{},{},{}\n", cell.prior.weight_variance, cell.prior.bias_variance,
                       e.noise_variance, figure(e.log_marginal_likelihood), figure(e.per_value), e.jitter,
                       to_string(e.status));
  }
  return out;
}

std::string to_json(const Recommendation& r) {
  Json json;
  json["schema"] = "priorfit.recommendation/1";
  json["version"] = version();
  if (!r.command.empty()) json["command"] = r.command;
  json["data"] = data_json(r.data);
  json["network"] = {{"depth", r.network.depth()}, {"activation", r.network.activation.name()}};
  json["recommended"] = cell_json(r.best());
  Json bounds = Json::array();
  for (const GridEdge& edge : r.at_bound) bounds.push_back(edge.parameter + (edge.upper ? ":upper" : ":lower"));
  json["recommended"]["at_bound"] = bounds;
  json["grid"] = Json::array();
  for (const EvidenceCell& cell : r.grid) json["grid"].push_back(cell_json(cell));
  json["baselines"] = Json::array();
  for (const Baseline& baseline : r.baselines) {
    Json entry = {{"name", baseline.name}};
    entry.update(cell_json(baseline.cell));
    entry["gain"] = finite_or_null(r.gain_over(baseline));
    json["baselines"].push_back(entry);
  }
  const PasteLines lines = paste_lines(r.best().prior);
  json["paste"] = {{"pytorch", lines.pytorch}, {"keras", lines.keras}, {"flax", lines.flax}};
  json["timing"] = {{"seconds", r.seconds}};
  json["memory"] = {{"peak_bytes", r.peak_bytes}, {"gram_held", r.gram_held}};
  return json_text(json);
}

}  // namespace priorfit

#include "render/figures.hpp"

#include <fmt/format.h>

#include <cmath>

namespace priorfit::internal {

namespace {

/// Commas into the digits before `end`.
std::string with_commas(std::string text, std::size_t end) {
  for (auto at = static_cast<std::ptrdiff_t>(end) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace

std::string grouped(Index count) {
  const std::string digits = std::to_string(count);
  return with_commas(digits, digits.size());
}

std::string nats_text(double value) {
  if (!std::isfinite(value)) return "—";
  const std::string text = fmt::format("{:.1f}", std::abs(value));
  return (value < 0 ? "-" : "") + with_commas(text, text.find('.'));
}

std::string error_text(double error) {
  return std::abs(error) < 1000 ? fmt::format("{:.4f}", error) : fmt::format("{:.3g}", error);
}

std::string prediction_text(const TrainedRisk& risk) {
  return risk.accuracy ? fmt::format("{:.1f} %", 100 * *risk.accuracy) : "squared error " + error_text(risk.error);
}

std::string symbol(std::string_view coordinate) {
  if (coordinate == "weight_variance") return "σ_w²";
  if (coordinate == "bias_variance") return "σ_b²";
  if (coordinate == "noise_variance") return "σ_n²";
  if (coordinate == "output_weight_variance") return "the output's σ_w²";
  const std::size_t dot = coordinate.find('.');
  if (dot == std::string_view::npos) return std::string(coordinate);
  const std::string_view layer = coordinate.substr(0, dot);
  const std::string whose = layer == "output" ? std::string("the output") : fmt::format("layer {}", layer.substr(5));
  return fmt::format("{}'s {}", whose, symbol(coordinate.substr(dot + 1)));
}

std::string baseline_name(const Candidate& baseline) {
  switch (baseline.start.scheme.value_or(InitialScheme::he)) {
    case InitialScheme::he: return "He";
    case InitialScheme::lecun: return "LeCun";
    case InitialScheme::glorot:
    case InitialScheme::keras: return "Glorot";
    case InitialScheme::pytorch: return "PyTorch";
  }
  return "";
}

std::string baseline_label(const Candidate& baseline) {
  const std::string name = baseline_name(baseline);
  if (name == "PyTorch") return "PyTorch's default";
  return name == "Glorot" ? "Glorot, Keras's default" : name;
}

std::string argument(const Recommendation& recommendation, const std::string& name) {
  const auto found = recommendation.argument_names.find(name);
  return found == recommendation.argument_names.end() ? name : found->second;
}

}  // namespace priorfit::internal

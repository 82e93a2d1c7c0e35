#include "prior_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flags.hpp"
#include "priorfit/error.hpp"

namespace priorfit::cli {

void PriorFlags::add_to(CLI::App& command) {
  weight_option_ =
      command.add_option("--weight-variance", pair_.weight_variance, "σ_w²: weights are drawn from N(0, σ_w²/fan_in)")
          ->capture_default_str();
  bias_option_ = command.add_option("--bias-variance", pair_.bias_variance, "σ_b²: biases are drawn from N(0, σ_b²)")
                     ->capture_default_str();
  output_option_ = command.add_option("--output-variance", output_variance_,
                                      "σ_w² of the output layer alone, whose bias then starts at 0 (default: tied)");
  command.add_option("--layer-variances", layer_text_,
                     "σ_w²:σ_b² of each layer, first layer first, such as 1.2:0.1,0.8:0,1:0");
  command.add_option("--scheme", scheme_name_, "he, lecun, glorot, keras or pytorch instead of variances");
  command.add_option("--from", from_, "recommendation.json to take variances, depth and activation from");
}

namespace {

/// "1.2:0.1,0.8:0" -> one prior per layer
std::vector<LayerPrior> parse_layers(const std::string& text) {
  std::vector<LayerPrior> layers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    const std::size_t colon = std::min(word.find(':'), word.size());
    LayerPrior layer{parse_number("--layer-variances", word.substr(0, colon)), 0.0};
    if (colon < word.size()) layer.bias_variance = parse_number("--layer-variances", word.substr(colon + 1));
    layer.validate();
    layers.push_back(layer);
    begin = comma + 1;
  }
  return layers;
}

}  // namespace

void PriorFlags::resolve() {
  const bool variances = weight_option_->count() + bias_option_->count() + output_option_->count() > 0;
  if (variances + !scheme_name_.empty() + !from_.empty() + !layer_text_.empty() > 1) {
    throw Error(ErrorKind::usage,
                "--weight-variance/--bias-variance/--output-variance, --layer-variances, --scheme and "
                "--from exclude each other: give one");
  }
  if (!scheme_name_.empty()) scheme_ = parse_initial_scheme(scheme_name_);
  if (!from_.empty()) recommended_ = read_recommendation(from_);
  if (!layer_text_.empty()) layers_ = parse_layers(layer_text_);
  pair_.validate();
  if (output_option_->count() > 0) LayerPrior{output_variance_, 0.0}.validate();
}

Initialisation PriorFlags::start(const NetworkSpec& spec, Index features, Index outputs) const {
  if (scheme_) return Initialisation::named(*scheme_, spec, features, outputs);
  if (recommended_) return recommended_->start;
  if (output_option_->count() > 0) return Initialisation::with_output(spec, pair_, output_variance_);
  if (layers_.empty()) return Initialisation::tied(spec, pair_);
  if (layers_.size() != spec.hidden_widths.size() + 1) {
    throw Error(ErrorKind::usage, fmt::format("--layer-variances has {} entries: the network has {} layers, the output "
                                              "included",
                                              layers_.size(), spec.hidden_widths.size() + 1));
  }
  return {.layers = layers_};
}

std::map<std::string, std::string> PriorFlags::metadata(const Initialisation& start, std::uint64_t seed) const {
  std::map<std::string, std::string> metadata = {{"seed", fmt::format("{}", seed)}};
  if (scheme_) metadata["scheme"] = to_string(*scheme_);
  if (scheme_ && !start.pair()) return metadata;
  if (start.pair() || start.own_output()) {
    metadata["weight_variance"] = fmt::format("{}", start.layers.front().weight_variance);
    metadata["bias_variance"] = fmt::format("{}", start.layers.front().bias_variance);
    if (const auto output = start.own_output()) metadata["output_weight_variance"] = fmt::format("{}", *output);
    return metadata;
  }
  std::string& text = metadata["layer_variances"];
  for (const LayerPrior& layer : start.layers) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", layer.weight_variance, layer.bias_variance);
  }
  return metadata;
}

std::string PriorFlags::text(const Initialisation& start) const {
  if (scheme_) return fmt::format("scheme {}", to_string(*scheme_));
  const std::string origin = recommended_ ? " from " + from_ : std::string();
  if (!start.pair() && !start.own_output()) return "(σ_w², σ_b²) of each layer " + to_string(start) + origin;
  const auto output = start.own_output();
  return fmt::format("σ_w² = {:g}, σ_b² = {:g}{}{}", start.layers.front().weight_variance,
                     start.layers.front().bias_variance,
                     output ? fmt::format(", output layer σ_w² = {:g}", *output) : std::string(), origin);
}

}  // namespace priorfit::cli

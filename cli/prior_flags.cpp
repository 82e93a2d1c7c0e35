#include "prior_flags.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"

namespace priorfit::cli {

void PriorFlags::add_to(CLI::App& command) {
  weight_option_ =
      command.add_option("--weight-variance", prior_.weight_variance, "σ_w²: weights are drawn from N(0, σ_w²/fan_in)")
          ->capture_default_str();
  bias_option_ = command.add_option("--bias-variance", prior_.bias_variance, "σ_b²: biases are drawn from N(0, σ_b²)")
                     ->capture_default_str();
  output_option_ = command.add_option("--output-variance", output_variance_,
                                      "σ_w² of the output layer alone, whose bias then starts at 0 (default: tied)");
  command.add_option("--scheme", scheme_name_, "he, lecun, glorot, keras or pytorch instead of variances");
  command.add_option("--from", from_, "recommendation.json to take variances, depth and activation from");
}

void PriorFlags::resolve() {
  const bool variances = weight_option_->count() + bias_option_->count() + output_option_->count() > 0;
  if (variances + !scheme_name_.empty() + !from_.empty() > 1) {
    throw Error(
        ErrorKind::usage,
        "--weight-variance/--bias-variance/--output-variance, --scheme and --from exclude each other: give one");
  }
  if (!scheme_name_.empty()) scheme_ = parse_initial_scheme(scheme_name_);
  if (!from_.empty()) {
    recommended_ = read_recommendation(from_);
    prior_ = recommended_->prior;
  }
  if (output_option_->count() > 0) prior_.output_weight_variance = output_variance_;
  prior_.validate();
}

std::map<std::string, std::string> PriorFlags::metadata(std::uint64_t seed) const {
  std::map<std::string, std::string> metadata = {{"seed", fmt::format("{}", seed)}};
  if (scheme_) metadata["scheme"] = to_string(*scheme_);
  if (const std::optional<LayerPrior> prior = start().prior()) {
    metadata["weight_variance"] = fmt::format("{}", prior->weight_variance);
    metadata["bias_variance"] = fmt::format("{}", prior->bias_variance);
    if (prior->output_weight_variance) {
      metadata["output_weight_variance"] = fmt::format("{}", *prior->output_weight_variance);
    }
  }
  return metadata;
}

std::string PriorFlags::text() const {
  if (scheme_) return fmt::format("scheme {}", to_string(*scheme_));
  const std::string output = prior_.output_weight_variance
                                 ? fmt::format(", output layer σ_w² = {:g}", *prior_.output_weight_variance)
                                 : std::string();
  return fmt::format("σ_w² = {:g}, σ_b² = {:g}{}{}", prior_.weight_variance, prior_.bias_variance, output,
                     recommended_ ? " from " + from_ : std::string());
}

}  // namespace priorfit::cli

#include "prior_flags.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"

namespace priorfit::cli {

void PriorFlags::add_to(CLI::App& command) {
  weight_option_ = command
                       .add_option("--weight-variance", prior_.weight_variance,
                                   "σ_w²: weights are drawn from N(0, σ_w²/fan_in)")
                       ->capture_default_str();
  bias_option_ = command.add_option("--bias-variance", prior_.bias_variance, "σ_b²: biases are drawn from N(0, σ_b²)")
                     ->capture_default_str();
  command.add_option("--scheme", scheme_name_, "he, lecun or glorot instead of variances");
  command.add_option("--from", from_, "recommendation.json to take variances, depth and activation from");
}

void PriorFlags::resolve() {
  const bool variances = weight_option_->count() + bias_option_->count() > 0;
  if (variances + !scheme_name_.empty() + !from_.empty() > 1) {
    throw Error(ErrorKind::usage, "--weight-variance/--bias-variance, --scheme and --from exclude each other: give one");
  }
  if (!scheme_name_.empty()) scheme_ = parse_initial_scheme(scheme_name_);
  if (!from_.empty()) {
    recommended_ = read_recommendation(from_);
    prior_ = recommended_->prior;
  }
  prior_.validate();
}

std::vector<Prior> PriorFlags::layer_priors(const NetworkSpec& spec, Index features, Index outputs) const {
  if (scheme_) return priorfit::layer_priors(*scheme_, spec, features, outputs);
  return std::vector<Prior>(spec.hidden_widths.size() + 1, prior_);
}

std::map<std::string, std::string> PriorFlags::metadata(std::uint64_t seed) const {
  std::map<std::string, std::string> metadata = {{"seed", fmt::format("{}", seed)}};
  if (scheme_) metadata["scheme"] = to_string(*scheme_);
  if (scheme_ != InitialScheme::glorot) {
    const Prior prior = scheme_ ? Prior{scheme_ == InitialScheme::he ? 2.0 : 1.0, 0.0} : prior_;
    metadata["weight_variance"] = fmt::format("{}", prior.weight_variance);
    metadata["bias_variance"] = fmt::format("{}", prior.bias_variance);
  }
  return metadata;
}

std::string PriorFlags::text() const {
  if (scheme_) return fmt::format("scheme {}", to_string(*scheme_));
  return fmt::format("σ_w² = {:g}, σ_b² = {:g}{}", prior_.weight_variance, prior_.bias_variance,
                     recommended_ ? " from " + from_ : std::string());
}

}  // namespace priorfit::cli

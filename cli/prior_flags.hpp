// Where initial parameters come from: --weight-variance, --bias-variance and
// --output-variance, --layer-variances, --scheme, or --from a recommendation.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "priorfit/mlp.hpp"
#include "priorfit/recommendation_file.hpp"

namespace priorfit::cli {

class PriorFlags {
 public:
  void add_to(CLI::App& command);
  /// Reads --from and checks that the flags do not contradict each other. Call first.
  void resolve();

  const std::string& from() const { return from_; }
  const std::optional<StoredRecommendation>& recommended() const { return recommended_; }
  std::optional<InitialScheme> scheme() const { return scheme_; }
  /// For a network of this shape.
  Initialisation start(const NetworkSpec& spec, Index features, Index outputs) const;
  /// What a weight file says of its origin.
  std::map<std::string, std::string> metadata(const Initialisation& start, std::uint64_t seed) const;
  /// "σ_w² = 2.8, σ_b² = 0 from recommendation.json"
  std::string text(const Initialisation& start) const;

 private:
  LayerPrior pair_;  // He's unless the user says otherwise
  std::string layer_text_;
  std::vector<LayerPrior> layers_;
  std::string scheme_name_;
  std::string from_;
  CLI::Option* weight_option_ = nullptr;
  CLI::Option* bias_option_ = nullptr;
  CLI::Option* output_option_ = nullptr;
  double output_variance_ = 0.0;  // 0: tied
  std::optional<InitialScheme> scheme_;
  std::optional<StoredRecommendation> recommended_;
};

}  // namespace priorfit::cli

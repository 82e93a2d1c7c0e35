// The parts of a recommendation, each filled in by its own file.
#pragma once

#include <memory>

#include "priorfit/recommend.hpp"

namespace priorfit::internal {

/// The same options with every choice made that was left open.
RecommendOptions resolved(const RecommendOptions& asked);

/// What of them the criteria read.
CriterionOptions criterion_options(const RecommendOptions& options);

Family family_of(const NetworkSpec& network, const RecommendOptions& options);

/// He, LeCun, Keras's and PyTorch's defaults (M6), not judged yet.
std::vector<Candidate> baselines_of(const NetworkSpec& network, Index features, Index outputs);

/// 40 × 40 around a pair, at a sample that is small enough to take seconds.
EvidenceSurface evidence_surface(const PreparedData& data, const NetworkSpec& network, const Candidate& centre,
                                 const EvidenceOptions& options, const RunContext& context);

/// Rows that a criterion judges on; owned where they are some of a larger set.
class JudgedRows {
 public:
  /// All of `data`, viewed.
  JudgedRows(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
             const std::string& criterion);
  /// `samples` of them, drawn by `seed`.
  JudgedRows(const PreparedData& data, Index samples, std::uint64_t seed, const NetworkSpec& network,
             const RecommendOptions& options, const std::string& criterion);

  const PreparedData& data() const { return drawn_ ? *drawn_ : *all_; }
  Criterion& criterion() { return *criterion_; }

 private:
  void make(const NetworkSpec& network, const RecommendOptions& options, const std::string& criterion);

  const PreparedData* all_;
  std::unique_ptr<PreparedData> drawn_;
  std::unique_ptr<Criterion> criterion_;
};

/// Both leave network, seconds and peak_bytes to the caller. `options` are resolved.
Recommendation recommend_from_grid(const PreparedData& data, const NetworkSpec& network,
                                   const RecommendOptions& options, const RunContext& context);
Recommendation recommend_continuous(const PreparedData& data, const NetworkSpec& network,
                                    const RecommendOptions& options, const RunContext& context);
/// Criterion "auto".
Recommendation recommend_by_all(const PreparedData& data, const NetworkSpec& network, const RecommendOptions& options,
                                const RunContext& context);

}  // namespace priorfit::internal

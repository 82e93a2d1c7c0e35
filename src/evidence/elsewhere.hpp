// The evidence of a sample computed by others than this process alone (src/distributed). An EvidenceEngine whose
// options name such a place hands its questions on; criteria and searches do not notice.
#pragma once

#include <memory>

#include "kernel/layers.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit::internal {

class EvidenceWork {
 public:
  virtual ~EvidenceWork() = default;
  virtual Evidence evaluate(const LayerPriors& priors, double noise_variance) = 0;
  virtual Evidence with_leave_one_out(const LayerPriors& priors, double noise_variance) = 0;
  virtual EvidenceGradient with_gradient(const LayerPriors& priors, double noise_variance) = 0;
};

class EvidenceElsewhere {
 public:
  virtual ~EvidenceElsewhere() = default;
  /// For a sample that has been checked and is viewed, not copied.
  virtual std::unique_ptr<EvidenceWork> make(const MatrixView& inputs, const MatrixView& targets,
                                             const NetworkSpec& network, const EvidenceOptions& options) = 0;
  /// Throws Error(resource) unless a search over so many samples fits where they are held.
  virtual void require_memory(Index samples, Index features, Index outputs, Index depth) const = 0;
};

}  // namespace priorfit::internal

// How an evaluation went, in words.
#include <fmt/format.h>

#include "kernel/layers.hpp"
#include "priorfit/evidence.hpp"

namespace priorfit {
using namespace internal;

std::string_view to_string(EvidenceStatus status) {
  switch (status) {
    case EvidenceStatus::ok: return "ok";
    case EvidenceStatus::jittered: return "jittered";
    case EvidenceStatus::not_positive_definite: return "not_positive_definite";
    case EvidenceStatus::not_finite: return "not_finite";
  }
  return "unknown";
}

std::string Evidence::remark() const {
  switch (status) {
    case EvidenceStatus::ok: return {};
    case EvidenceStatus::jittered:
      return fmt::format("not positive definite at pivot {}, noise {:g}; factored with jitter {:.3g}", failed_pivot,
                         noise_variance, jitter);
    case EvidenceStatus::not_positive_definite:
      return fmt::format("not positive definite at pivot {}, noise {:g}", failed_pivot, noise_variance);
    case EvidenceStatus::not_finite:
      return failed_layer == 0 ? "the covariance is too large or too small for double precision"
                               : VarianceFailure{failed_layer, 0, failed_variance}.text();
  }
  return {};
}

}  // namespace priorfit

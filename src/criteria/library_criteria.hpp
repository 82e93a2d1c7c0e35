// The criteria that the library brings, one file each; criterion.cpp registers them.
#pragma once

#include "priorfit/criterion.hpp"

namespace priorfit::internal {

CriterionInfo evidence_criterion();
CriterionInfo trained_risk_criterion();

}  // namespace priorfit::internal

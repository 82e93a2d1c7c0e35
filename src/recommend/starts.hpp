#pragma once

#include <array>
#include <vector>

#include "recommend/objectives.hpp"

namespace priorfit {

/// Where to look for places to climb from.
struct StartCandidates {
  std::array<int, 3> along;       // points of a grid over the whole space: of σ_w², σ_b², σ_n²
  std::vector<LayerPrior> pairs;  // besides the grid
  bool costly_covariance;         // then one covariance a pair serves all σ_n², of which there may be more
};

/// The local maxima of the evidence among the candidates, best first, at most four.
std::vector<Point> choose_starts(EvidenceObjective& objective, const SearchSpace& space,
                                 const StartCandidates& candidates);

}  // namespace priorfit

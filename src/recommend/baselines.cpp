#include "recommend/parts.hpp"

namespace priorfit::internal {

std::vector<Candidate> baselines_of(const NetworkSpec& network, Index features, Index outputs) {
  std::vector<Candidate> baselines;
  for (const InitialScheme scheme :
       {InitialScheme::he, InitialScheme::lecun, InitialScheme::keras, InitialScheme::pytorch}) {
    baselines.push_back({.start = Initialisation::named(scheme, network, features, outputs)});
  }
  return baselines;
}

}  // namespace priorfit::internal
